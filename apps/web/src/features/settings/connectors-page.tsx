import type { Connector } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { connectorsQuery, deleteConnector } from '../../api/connectors.ts';
import { nounOf } from '../../lib/format.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/form.tsx';
import { Table } from '../../ui/table.tsx';
import { ConnectorCheckDialog } from './connector-check.tsx';
import { ChangeConnector, NewConnectorDialog } from './connector-dialogs.tsx';
import { Loaded, Section, SettingsPage } from './page.tsx';
import { RoutingMatrix } from './routing-matrix.tsx';

type Doing = { readonly what: 'check' | 'change' | 'delete'; readonly connector: Connector };

/** The databases telemetry may be kept in, and which signal of which environment is kept where. */
export function ConnectorsPage() {
  const query = useQuery(connectorsQuery());
  const [making, setMaking] = useState(false);
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  return (
    <SettingsPage
      title="Connectors & routing"
      about="A connector leads to a database: one of the built-in engine, or one of a ClickHouse server. Routing says which signal of which environment is kept in which of them."
      action={
        <Button look="primary" onClick={() => setMaking(true)}>
          <Plus size={14} aria-hidden />
          New connector
        </Button>
      }
    >
      <Section title="Connectors">
        <Loaded query={query} label="the connectors">
          {(rows) => <Connectors rows={rows} onDo={setDoing} />}
        </Loaded>
      </Section>
      {query.data && <RoutingMatrix connectors={query.data} />}
      {making && <NewConnectorDialog onClose={() => setMaking(false)} />}
      {doing?.what === 'check' && <ConnectorCheckDialog connector={doing.connector} onClose={close} />}
      {doing?.what === 'change' && <ChangeConnector connector={doing.connector} onClose={close} />}
      {doing?.what === 'delete' && <Delete connector={doing.connector} onClose={close} />}
    </SettingsPage>
  );
}

function Connectors({ rows, onDo }: { rows: readonly Connector[]; onDo: (doing: Doing) => void }) {
  return (
    <Table
      label="Connectors"
      rows={rows}
      keyOf={(connector) => connector.id}
      empty="There is none."
      columns={[
        {
          label: 'Name',
          cell: (connector) => (
            <>
              {connector.name} {connector.builtIn && <Badge>built in</Badge>}
            </>
          ),
        },
        {
          label: 'Leads to',
          cell: (connector) =>
            connector.kind === 'embedded' ? (
              'built-in engine'
            ) : (
              <span className="block max-w-72 truncate" title={connector.url ?? ''}>
                {connector.username}@{connector.url}
              </span>
            ),
        },
        { label: 'Database', cell: (connector) => <code className="font-mono">{connector.database}</code> },
        {
          label: 'Security',
          cell: (connector) =>
            connector.kind === 'embedded' ? (
              <span className="text-muted">in this process</span>
            ) : connector.allowInsecure ? (
              <Badge tone="warn">insecure allowed</Badge>
            ) : (
              <Badge tone="ok">{connector.hasClientCertificate ? 'client certificate' : 'verified'}</Badge>
            ),
        },
        {
          label: 'In use',
          align: 'end',
          cell: (connector) => `${connector.boundTo} ${nounOf(connector.boundTo, 'bindings')}`,
        },
        {
          label: 'Actions',
          align: 'end',
          cell: (connector) => (
            <span className="inline-flex gap-1">
              <Button
                className="h-6"
                aria-label={`Check ${connector.name}`}
                onClick={() => onDo({ what: 'check', connector })}
              >
                Check
              </Button>
              {!connector.builtIn && (
                <>
                  <Button
                    className="h-6"
                    aria-label={`Change ${connector.name}`}
                    onClick={() => onDo({ what: 'change', connector })}
                  >
                    Change
                  </Button>
                  <Button
                    className="h-6"
                    aria-label={`Delete ${connector.name}`}
                    disabled={connector.boundTo > 0}
                    title={connector.boundTo > 0 ? 'In use: bind its signals elsewhere first' : undefined}
                    onClick={() => onDo({ what: 'delete', connector })}
                  >
                    Delete
                  </Button>
                </>
              )}
            </span>
          ),
        },
      ]}
    />
  );
}

function Delete({ connector, onClose }: { connector: Connector; onClose: () => void }) {
  const remove = useApiMutation(deleteConnector, { touches: [['connectors']], onDone: onClose });
  return (
    <ConfirmDialog
      title={`Delete ${connector.name}?`}
      action="Delete"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(connector.id)}
      onClose={onClose}
    >
      <p>Candela forgets how to reach it. The database itself and what is in it stay as they are.</p>
    </ConfirmDialog>
  );
}
