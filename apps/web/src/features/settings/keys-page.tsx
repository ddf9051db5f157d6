import type { ApiKey } from '@candela/contract';
import { SCOPES } from '@candela/kernel';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { keysQuery, revokeKey } from '../../api/keys.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/form.tsx';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { useProject } from '../session/use-project.ts';
import { EditKey, NewKey, RotateKey } from './key-dialogs.tsx';
import { MoreRows } from '../../ui/more-rows.tsx';
import { Loaded, Section, SettingsPage } from './page.tsx';

type Doing =
  | { readonly what: 'new' }
  | { readonly what: 'edit' | 'rotate' | 'revoke'; readonly key: ApiKey }
  | { readonly what: 'show'; readonly name: string; readonly secret: string };

/** The API keys of the project in the header. */
export function KeysPage() {
  const project = useProject();
  const query = useInfiniteQuery(keysQuery());
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  const show = (made: { name: string; apiKey: string }) =>
    setDoing({ what: 'show', name: made.name, secret: made.apiKey });
  return (
    <SettingsPage
      title="API keys"
      about="For programs: they send telemetry and read it with a key. A key belongs to one project, is shown once, and may be limited to scopes, environments and a time."
      action={
        <Button look="primary" onClick={() => setDoing({ what: 'new' })}>
          <Plus size={14} aria-hidden />
          New key
        </Button>
      }
    >
      <Section title={project === undefined ? 'Keys' : `Keys of ${project.name}`}>
        <Loaded query={query} label="the keys">
          {(data) => <Keys rows={data.pages.flatMap((page) => page.data)} onDo={setDoing} />}
        </Loaded>
        <MoreRows query={query} />
      </Section>
      {doing?.what === 'new' && <NewKey onMade={show} onClose={close} />}
      {doing?.what === 'edit' && <EditKey apiKey={doing.key} onClose={close} />}
      {doing?.what === 'rotate' && <RotateKey apiKey={doing.key} onMade={show} onClose={close} />}
      {doing?.what === 'revoke' && <Revoke apiKey={doing.key} onClose={close} />}
      {doing?.what === 'show' && (
        <SecretOnce
          title={`The key ${doing.name}`}
          secrets={[
            { label: 'Key', text: doing.secret },
            {
              label: 'For OpenTelemetry SDKs',
              text: `OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20${doing.secret}"`,
            },
          ]}
          onClose={close}
        >
          <p>Copy it now: it is kept only as a hash and cannot be shown again.</p>
        </SecretOnce>
      )}
    </SettingsPage>
  );
}

/** What the state of a key is called, and whether it is over. */
function stateOf(key: ApiKey): { text: string; tone: 'ok' | 'warn' | 'plain'; over: boolean } {
  const over = key.expiresAt !== null && Date.parse(key.expiresAt) <= Date.now();
  if (over) return { text: 'Expired', tone: 'plain', over };
  if (key.replacedBy !== null) return { text: 'Replaced', tone: 'warn', over };
  return { text: 'Active', tone: 'ok', over };
}

function Keys({ rows, onDo }: { rows: readonly ApiKey[]; onDo: (doing: Doing) => void }) {
  return (
    <Table
      label="Keys"
      rows={rows}
      keyOf={(key) => key.id}
      empty="There is no key yet. Programs on this machine may send without one; from elsewhere they need one."
      isPast={(key) => stateOf(key).over}
      columns={[
        { label: 'Name', cell: (key) => key.name },
        { label: 'Prefix', cell: (key) => <code className="font-mono">{key.prefix}</code> },
        {
          label: 'State',
          cell: (key) => <Badge tone={stateOf(key).tone}>{stateOf(key).text}</Badge>,
        },
        {
          label: 'Scopes',
          cell: (key) => (
            <span className="block max-w-48 truncate" title={key.scopes.join(', ')}>
              {key.scopes.length === SCOPES.length ? 'all' : key.scopes.join(', ')}
            </span>
          ),
        },
        {
          label: 'Environments',
          cell: (key) => (
            <span className="block max-w-40 truncate" title={key.environments?.join(', ')}>
              {key.environments?.join(', ') ?? 'all'}
            </span>
          ),
        },
        { label: 'Expires', cell: (key) => <When time={key.expiresAt} none="never" /> },
        { label: 'Last used', cell: (key) => <When time={key.lastUsedAt} none="never" /> },
        { label: 'Created by', cell: (key) => key.createdBy ?? 'the configuration' },
        {
          label: 'Actions',
          align: 'end',
          cell: (key) => (
            <span className="inline-flex gap-1">
              <Button
                className="h-6"
                aria-label={`Change ${key.name}`}
                onClick={() => onDo({ what: 'edit', key })}
              >
                Change
              </Button>
              {!stateOf(key).over && key.replacedBy === null && (
                <Button
                  className="h-6"
                  aria-label={`Rotate ${key.name}`}
                  onClick={() => onDo({ what: 'rotate', key })}
                >
                  Rotate
                </Button>
              )}
              <Button
                className="h-6"
                aria-label={`Revoke ${key.name}`}
                onClick={() => onDo({ what: 'revoke', key })}
              >
                Revoke
              </Button>
            </span>
          ),
        },
      ]}
    />
  );
}

function Revoke({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const revoke = useApiMutation(revokeKey, { touches: [['api-keys']], onDone: onClose });
  return (
    <ConfirmDialog
      title={`Revoke ${apiKey.name}?`}
      action="Revoke"
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate(apiKey.id)}
      onClose={onClose}
    >
      <p>
        Whatever sends or reads with <code className="font-mono">{apiKey.prefix}…</code> is refused within a
        second. This cannot be taken back.
      </p>
    </ConfirmDialog>
  );
}
