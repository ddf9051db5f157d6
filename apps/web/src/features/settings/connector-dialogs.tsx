import type { Connector } from '@candela/contract';
import { useState } from 'react';
import {
  changeConnector,
  type ConnectorChange,
  createConnectorOf,
  type NewConnector,
} from '../../api/connectors.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { CheckField, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { useWhoAsks } from '../session/use-person.ts';

const TOUCHES = [['connectors'], ['routing']];

/** What is written about a ClickHouse server; secrets that are left empty are not sent. */
interface Server {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly allowInsecure: boolean;
  readonly ca: string;
  readonly clientCertificate: string;
  readonly clientKey: string;
}
const BLANK: Server = {
  url: '',
  username: 'default',
  password: '',
  allowInsecure: false,
  ca: '',
  clientCertificate: '',
  clientKey: '',
};
const SECRETS = ['password', 'ca', 'clientCertificate', 'clientKey'] as const;
const secretsOf = (server: Server) =>
  Object.fromEntries(SECRETS.filter((name) => server[name] !== '').map((name) => [name, server[name]]));

function ServerFields(props: {
  server: Server;
  onChange: (server: Server) => void;
  /** What is kept already and stays when left empty. */
  kept?: Connector;
}) {
  const { server, kept } = props;
  const set = (change: Partial<Server>) => props.onChange({ ...server, ...change });
  const stays = (has: boolean | undefined) => (has === true ? 'Left empty: stays as it is.' : undefined);
  return (
    <>
      <TextField
        label="Address"
        type="url"
        required
        maxLength={2_048}
        placeholder="https://clickhouse.example.com:8443"
        value={server.url}
        onValue={(url) => set({ url })}
      />
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        <TextField
          label="User"
          required
          maxLength={128}
          autoComplete="off"
          value={server.username}
          onValue={(username) => set({ username })}
        />
        <TextField
          label="Password of the database"
          type="password"
          autoComplete="off"
          maxLength={1_024}
          value={server.password}
          onValue={(password) => set({ password })}
          hint={stays(kept?.hasPassword) ?? 'Kept sealed; it is never shown again.'}
        />
      </div>
      <details className="rounded-md border border-line px-3 py-2">
        <summary className="min-h-6 text-sm">Certificates</summary>
        <div className="flex flex-col gap-3 pt-2">
          <TextArea
            label="Certificate authority"
            rows={3}
            maxLength={65_536}
            spellCheck={false}
            placeholder="-----BEGIN CERTIFICATE-----"
            value={server.ca}
            onValue={(ca) => set({ ca })}
            hint={stays(kept?.hasCa) ?? 'Trusted in place of the public ones.'}
          />
          <TextArea
            label="Client certificate"
            rows={3}
            maxLength={65_536}
            spellCheck={false}
            value={server.clientCertificate}
            onValue={(clientCertificate) => set({ clientCertificate })}
            hint={stays(kept?.hasClientCertificate)}
          />
          <TextArea
            label="Key of the client certificate"
            rows={3}
            maxLength={65_536}
            spellCheck={false}
            value={server.clientKey}
            onValue={(clientKey) => set({ clientKey })}
            hint={stays(kept?.hasClientCertificate)}
          />
        </div>
      </details>
      <CheckField
        label="Allow an insecure connection"
        hint="Plain http to another machine, or a certificate that nobody verifies. The password can then be read on the way."
        checked={server.allowInsecure}
        onChange={(allowInsecure) => set({ allowInsecure })}
      />
    </>
  );
}

/** A new connector; its database is made when it is first bound. */
export function NewConnectorDialog({ onClose }: { onClose: () => void }) {
  const { person } = useWhoAsks();
  const [kind, setKind] = useState<'embedded' | 'clickhouse'>('embedded');
  const [name, setName] = useState('');
  const [projectId, setProjectId] = useState('');
  const [database, setDatabase] = useState('candela');
  const [server, setServer] = useState(BLANK);
  const make = useApiMutation(createConnectorOf, { touches: TOUCHES, onDone: onClose });
  const body = (): NewConnector => {
    const common = { name: name.trim(), projectId: projectId === '' ? null : projectId };
    return kind === 'embedded'
      ? { kind, ...common }
      : {
          kind,
          ...common,
          url: server.url.trim(),
          username: server.username.trim(),
          database: database.trim(),
          allowInsecure: server.allowInsecure,
          ...secretsOf(server),
        };
  };
  return (
    <FormDialog
      title="New connector"
      action="Add the connector"
      wide
      busy={make.isPending}
      error={make.error}
      ready={name.trim() !== '' && (kind === 'embedded' || server.url.trim() !== '')}
      onSubmit={() => make.mutate(body())}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        autoFocus
        maxLength={100}
        value={name}
        onValue={setName}
        placeholder="EU cluster"
      />
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        <SelectField
          label="Kind"
          value={kind}
          onValue={(value) => setKind(value === 'clickhouse' ? 'clickhouse' : 'embedded')}
          options={[
            { value: 'embedded', label: 'A database of the built-in engine' },
            { value: 'clickhouse', label: 'A ClickHouse server' },
          ]}
        />
        <SelectField
          label="For"
          value={projectId}
          onValue={setProjectId}
          options={[
            { value: '', label: 'Every project' },
            ...(person?.projects ?? []).map((project) => ({ value: project.id, label: project.name })),
          ]}
        />
      </div>
      {kind === 'clickhouse' && (
        <>
          <ServerFields server={server} onChange={setServer} />
          <TextField
            label="Database"
            required
            maxLength={64}
            spellCheck={false}
            value={database}
            onValue={setDatabase}
            hint="Made when it is not there, if the user may."
          />
        </>
      )}
    </FormDialog>
  );
}

/** Another name or another way to the same database. */
export function ChangeConnector({ connector, onClose }: { connector: Connector; onClose: () => void }) {
  const [name, setName] = useState(connector.name);
  const [server, setServer] = useState<Server>({
    ...BLANK,
    url: connector.url ?? '',
    username: connector.username ?? '',
    allowInsecure: connector.allowInsecure,
  });
  const change = useApiMutation(changeConnector, { touches: TOUCHES, onDone: onClose });
  const body = (): ConnectorChange => ({
    version: connector.version,
    name: name.trim(),
    ...(connector.kind === 'embedded'
      ? {}
      : {
          url: server.url.trim(),
          username: server.username.trim(),
          allowInsecure: server.allowInsecure,
          ...secretsOf(server),
        }),
  });
  return (
    <FormDialog
      title={`Change ${connector.name}`}
      action="Change"
      wide
      busy={change.isPending}
      error={change.error}
      ready={name.trim() !== ''}
      onSubmit={() => change.mutate({ id: connector.id, change: body() })}
      onClose={onClose}
    >
      <TextField label="Name" required autoFocus maxLength={100} value={name} onValue={setName} />
      {connector.kind === 'clickhouse' && (
        <ServerFields server={server} onChange={setServer} kept={connector} />
      )}
    </FormDialog>
  );
}
