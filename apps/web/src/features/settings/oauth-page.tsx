import type { OauthClient } from '@candela/contract';
import { SCOPES } from '@candela/kernel';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { deleteClient, oauthClientsQuery, rotateClientSecret } from '../../api/oauth.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ConfirmDialog } from '../../ui/form.tsx';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { MoreRows } from '../../ui/more-rows.tsx';
import { ChangeOauthClient, NewOauthClient } from './oauth-dialogs.tsx';
import { Loaded, Section, SettingsPage } from './page.tsx';

type Doing =
  | { readonly what: 'new' }
  | { readonly what: 'change' | 'rotate' | 'delete'; readonly client: OauthClient }
  | { readonly what: 'show'; readonly client: OauthClient; readonly secret: string | null };
const TOUCHES = [['oauth-clients']];

/** Applications that people, or they themselves, get tokens for. */
export function OauthPage() {
  const query = useInfiniteQuery(oauthClientsQuery());
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  const show = (made: OauthClient & { clientSecret: string | null }) =>
    setDoing({ what: 'show', client: made, secret: made.clientSecret });
  return (
    <SettingsPage
      title="OAuth clients"
      about="Applications that ask people for leave to use Candela in their name, or act for themselves. Their tokens carry scopes and one project."
      action={
        <Button look="primary" onClick={() => setDoing({ what: 'new' })}>
          <Plus size={14} aria-hidden />
          New application
        </Button>
      }
    >
      <Section title="Clients">
        <Loaded query={query} label="the clients">
          {(data) => <Clients rows={data.pages.flatMap((page) => page.data)} onDo={setDoing} />}
        </Loaded>
        <MoreRows query={query} />
      </Section>
      {doing?.what === 'new' && <NewOauthClient onMade={show} onClose={close} />}
      {doing?.what === 'change' && <ChangeOauthClient client={doing.client} onClose={close} />}
      {doing?.what === 'rotate' && <Rotate client={doing.client} onMade={show} onClose={close} />}
      {doing?.what === 'delete' && <Delete client={doing.client} onClose={close} />}
      {doing?.what === 'show' && (
        <SecretOnce
          title={`The client ${doing.client.name}`}
          secrets={[
            { label: 'Client id', text: doing.client.id },
            ...(doing.secret === null ? [] : [{ label: 'Client secret', text: doing.secret }]),
          ]}
          onClose={close}
        >
          <p>
            {doing.secret === null
              ? 'A public client has no secret: it proves itself by PKCE.'
              : 'Copy the secret now: it is kept only as a hash and cannot be shown again.'}
          </p>
        </SecretOnce>
      )}
    </SettingsPage>
  );
}

function Clients({ rows, onDo }: { rows: readonly OauthClient[]; onDo: (doing: Doing) => void }) {
  return (
    <Table
      label="Clients"
      rows={rows}
      keyOf={(client) => client.id}
      empty="There is no client yet."
      columns={[
        { label: 'Name', cell: (client) => client.name },
        {
          label: 'Client id',
          cell: (client) => (
            <span className="flex items-center gap-1">
              <code className="block max-w-40 truncate font-mono">{client.id}</code>
              <CopyButton label={`Copy the id of ${client.name}`} text={() => client.id} />
            </span>
          ),
        },
        { label: 'Kind', cell: (client) => <Badge>{client.kind}</Badge> },
        {
          label: 'Scopes',
          cell: (client) => (
            <span className="block max-w-44 truncate" title={client.scopes.join(', ')}>
              {client.scopes.length === SCOPES.length ? 'all' : client.scopes.join(', ')}
            </span>
          ),
        },
        {
          label: 'Returns to',
          cell: (client) => (
            <span className="block max-w-52 truncate" title={client.redirectUris.join('\n')}>
              {client.redirectUris[0] ?? 'nowhere'}
              {client.redirectUris.length > 1 && ` and ${client.redirectUris.length - 1} more`}
            </span>
          ),
        },
        { label: 'Last used', cell: (client) => <When time={client.lastUsedAt} none="never" /> },
        {
          label: 'Actions',
          align: 'end',
          cell: (client) => (
            <span className="inline-flex gap-1">
              <Button
                className="h-6"
                aria-label={`Change ${client.name}`}
                onClick={() => onDo({ what: 'change', client })}
              >
                Change
              </Button>
              {client.kind === 'confidential' && (
                <Button
                  className="h-6"
                  aria-label={`New secret for ${client.name}`}
                  onClick={() => onDo({ what: 'rotate', client })}
                >
                  New secret
                </Button>
              )}
              <Button
                className="h-6"
                aria-label={`Delete ${client.name}`}
                onClick={() => onDo({ what: 'delete', client })}
              >
                Delete
              </Button>
            </span>
          ),
        },
      ]}
    />
  );
}

function Rotate(props: {
  client: OauthClient;
  onMade: (made: OauthClient & { clientSecret: string | null }) => void;
  onClose: () => void;
}) {
  const rotate = useApiMutation(rotateClientSecret, { touches: TOUCHES, onDone: props.onMade });
  return (
    <ConfirmDialog
      title={`New secret for ${props.client.name}?`}
      action="Create new secret"
      busy={rotate.isPending}
      error={rotate.error}
      onConfirm={() => rotate.mutate(props.client.id)}
      onClose={props.onClose}
    >
      <p>The old secret stops working at once.</p>
    </ConfirmDialog>
  );
}

function Delete({ client, onClose }: { client: OauthClient; onClose: () => void }) {
  const remove = useApiMutation(deleteClient, { touches: TOUCHES, onDone: onClose });
  return (
    <ConfirmDialog
      title={`Delete ${client.name}?`}
      action="Delete"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(client.id)}
      onClose={onClose}
    >
      <p>All its tokens stop working at once, also those that people gave leave for.</p>
    </ConfirmDialog>
  );
}
