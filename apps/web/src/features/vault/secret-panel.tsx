import type { Secret } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { secretHistoryQuery, secretQuery } from '../../api/vault.ts';
import { formatCount } from '../../lib/format.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Failure, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { Loaded, Section } from '../settings/page.tsx';
import { useShell } from '../shell/shell-search.ts';
import { RevealedValue } from './revealed-value.tsx';
import { ChangeAccess, DeleteSecret, ReplaceValue, RestoreVersion } from './secret-dialogs.tsx';

type Doing = 'replace' | 'access' | 'delete' | { readonly restore: number };

/** One secret: its value for those who may see it, its readers, its history. */
export default function SecretPanel(props: { id: string; mayChange: boolean; onClose: () => void }) {
  const { environment } = useShell();
  const query = useQuery(secretQuery(environment, props.id));
  useHotkey('Escape', props.onClose, { label: 'Close the secret', group: 'Vault' });
  return (
    <aside
      aria-label="Secret"
      className="flex w-[min(480px,45vw)] shrink-0 flex-col gap-3 overflow-auto border-l border-line p-3 max-md:fixed max-md:inset-0 max-md:z-20 max-md:w-full max-md:bg-bg"
    >
      <header className="flex items-center gap-1">
        <h2 className="flex min-w-0 font-mono text-lg">
          <MiddleTruncation name={query.data?.key ?? 'Secret'} />
        </h2>
        {query.data && <CopyButton label="Copy the name" text={() => query.data.key} />}
        <Button look="plain" className="ml-auto" aria-label="Close" onClick={props.onClose}>
          <X size={14} aria-hidden />
        </Button>
      </header>
      {query.isPending ? (
        <SkeletonRows rows={4} label="Loading the secret" />
      ) : query.isError ? (
        <Failure error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Details secret={query.data} mayChange={props.mayChange} onGone={props.onClose} />
      )}
    </aside>
  );
}

function Details({ secret, mayChange, onGone }: { secret: Secret; mayChange: boolean; onGone: () => void }) {
  const { environment } = useShell();
  const history = useQuery(secretHistoryQuery(environment, secret.id));
  const [doing, setDoing] = useState<Doing>();
  const [looking, setLooking] = useState<number>();
  const close = () => setDoing(undefined);
  const readers =
    secret.grants === null
      ? 'every key of the project with the scope vault'
      : secret.grants.length === 0
        ? 'nobody'
        : `${secret.grants.length} keys or applications, chosen by name`;
  return (
    <>
      <Section
        title="Value"
        action={
          mayChange && (
            <Button className="h-6" onClick={() => setDoing('replace')}>
              Replace
            </Button>
          )
        }
      >
        {mayChange ? (
          <RevealedValue key={secret.version} secret={secret} />
        ) : (
          <p className="text-sm text-muted">Admins and owners may look at it.</p>
        )}
        <Facts>
          <Fact label="Version">{secret.version}</Fact>
          <Fact label="Bytes">{formatCount(secret.bytes)}</Fact>
          <Fact label="Changed">
            <When time={secret.updatedAt} />
          </Fact>
          <Fact label="By">{secret.updatedBy ?? 'a key'}</Fact>
        </Facts>
      </Section>
      <Section
        title="Tags and readers"
        action={
          mayChange && (
            <Button className="h-6" onClick={() => setDoing('access')}>
              Change
            </Button>
          )
        }
      >
        <Facts>
          <Fact label="Tags" title={secret.tags.join(', ')}>
            {secret.tags.length === 0 ? 'none' : secret.tags.join(', ')}
          </Fact>
          <Fact label="Read by">{readers}</Fact>
        </Facts>
      </Section>
      <Section title="History" about="The current value and earlier ones, all encrypted.">
        <Loaded query={history} label="the history">
          {(rows) => (
            <Table
              label="Versions of the value"
              rows={rows}
              keyOf={(row) => String(row.version)}
              empty="There is no version yet."
              columns={[
                {
                  label: 'Version',
                  cell: (row) => (
                    <>
                      {row.version} {row.current && <Badge tone="ok">in force</Badge>}
                    </>
                  ),
                },
                { label: 'Created', cell: (row) => <When time={row.createdAt} /> },
                { label: 'By', cell: (row) => row.createdBy ?? 'a key' },
                {
                  label: 'Actions',
                  align: 'end',
                  cell: (row) =>
                    mayChange &&
                    !row.current && (
                      <span className="inline-flex gap-1">
                        <Button
                          className="h-6"
                          aria-label={`Reveal version ${row.version}`}
                          onClick={() => setLooking(row.version)}
                        >
                          Reveal
                        </Button>
                        <Button
                          className="h-6"
                          aria-label={`Restore version ${row.version}`}
                          onClick={() => setDoing({ restore: row.version })}
                        >
                          Restore
                        </Button>
                      </span>
                    ),
                },
              ]}
            />
          )}
        </Loaded>
        {looking !== undefined && (
          <div className="flex flex-col gap-1">
            <h3 className="text-sm text-muted">Version {looking}</h3>
            <RevealedValue key={looking} secret={secret} version={looking} asks />
          </div>
        )}
      </Section>
      {mayChange && (
        <Button look="danger" className="self-start" onClick={() => setDoing('delete')}>
          Delete the secret
        </Button>
      )}
      {doing === 'replace' && <ReplaceValue secret={secret} onClose={close} />}
      {doing === 'access' && <ChangeAccess secret={secret} onClose={close} />}
      {doing === 'delete' && <DeleteSecret secret={secret} onClose={close} onGone={onGone} />}
      {typeof doing === 'object' && (
        <RestoreVersion secret={secret} version={doing.restore} onClose={close} />
      )}
    </>
  );
}
