import type { AlertDestination, ChannelKind } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import {
  ALERT_KEY,
  deleteDestination,
  destinationsQuery,
  saveDestination,
  testDestination,
} from '../../api/alerts.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/form.tsx';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { Failure, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { splitList } from './draft.ts';

const touches = [ALERT_KEY];

/** What each kind asks for: its setting, and what its secret is. */
const CHANNELS: Readonly<
  Record<ChannelKind, { label: string; setting?: string; secret?: string; hint: string }>
> = {
  webhook: {
    label: 'Webhook',
    setting: 'Address',
    secret: 'Signing secret',
    hint: 'whsec_ and base64; empty: one is made. Signed as Standard Webhooks say.',
  },
  slack: {
    label: 'Slack',
    secret: 'Address of the incoming webhook',
    hint: 'https://hooks.slack.com/services/…',
  },
  email: { label: 'E-mail', setting: 'Addresses', hint: 'Over the mail server of PLATFORM_SMTP_URL.' },
  pagerduty: {
    label: 'PagerDuty',
    setting: 'Endpoint',
    secret: 'Routing key',
    hint: 'Of an Events API v2 integration.',
  },
  teams: {
    label: 'Microsoft Teams',
    secret: 'Address of the workflow',
    hint: 'A workflow that starts with a webhook.',
  },
  discord: { label: 'Discord', secret: 'Address of the webhook', hint: 'https://discord.com/api/webhooks/…' },
  opsgenie: { label: 'Opsgenie', setting: 'Endpoint', secret: 'API key', hint: 'Of an API integration.' },
};
const KIND_OPTIONS = Object.entries(CHANNELS).map(([value, { label }]) => ({ value, label }));
const ENDPOINTS: Partial<Record<ChannelKind, string>> = {
  pagerduty: 'https://events.pagerduty.com',
  opsgenie: 'https://api.opsgenie.com',
};

/** Where messages go. */
export function Destinations({ mayChange }: { mayChange: boolean }) {
  const query = useQuery(destinationsQuery());
  const [editing, setEditing] = useState<AlertDestination | 'new'>();
  const [leaving, setLeaving] = useState<AlertDestination>();
  const [secret, setSecret] = useState<string>();
  const test = useApiMutation(testDestination, { touches });
  const remove = useApiMutation(deleteDestination, { touches, onDone: () => setLeaving(undefined) });
  if (query.isLoadingError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <SkeletonRows rows={3} label="Loading the destinations" />;
  const tested = query.data.find(({ id }) => id === test.variables);
  return (
    <section aria-label="Destinations" className="flex flex-col gap-2">
      {mayChange && (
        <Button className="self-start" onClick={() => setEditing('new')}>
          <Plus size={14} aria-hidden />
          New destination
        </Button>
      )}
      <ErrorLine error={test.error} />
      <p role="status" className="text-sm text-muted empty:hidden">
        {test.data !== undefined &&
          (test.data.sent
            ? `${tested?.name ?? 'It'} took the message.`
            : `${tested?.name ?? 'It'} did not take the message. ${test.data.error ?? ''}`)}
      </p>
      <Table
        label="Destinations"
        rows={query.data}
        keyOf={({ id }) => id}
        empty="Nobody is told yet. A webhook, a mail, a channel: administrators make them here."
        isPast={({ enabled }) => !enabled}
        columns={[
          { label: 'Name', cell: ({ name }) => name },
          { label: 'Kind', cell: ({ channel }) => CHANNELS[channel.kind].label },
          {
            label: 'Goes to',
            cell: ({ channel }) => (
              <span className="inline-block max-w-72 truncate align-bottom">
                {settingOf(channel) || 'a secret address'}
              </span>
            ),
          },
          {
            label: 'State',
            className: 'min-w-32 whitespace-normal',
            cell: ({ enabled, problem }) => (
              <>
                {!enabled && <Badge tone="warn">off</Badge>} {problem ?? ''}
              </>
            ),
          },
          {
            label: 'Actions',
            align: 'end',
            cell: (destination) =>
              mayChange && (
                <span className="flex justify-end gap-1">
                  <Button
                    className="h-6"
                    aria-label={`Send a test to ${destination.name}`}
                    busy={test.isPending && test.variables === destination.id}
                    onClick={() => test.mutate(destination.id)}
                  >
                    Test
                  </Button>
                  <Button
                    className="h-6"
                    aria-label={`Edit ${destination.name}`}
                    onClick={() => setEditing(destination)}
                  >
                    Edit
                  </Button>
                  <Button
                    className="h-6"
                    aria-label={`Delete ${destination.name}`}
                    onClick={() => setLeaving(destination)}
                  >
                    Delete
                  </Button>
                </span>
              ),
          },
        ]}
      />
      {editing !== undefined && (
        <DestinationDialog
          destination={editing === 'new' ? undefined : editing}
          onClose={() => setEditing(undefined)}
          onSecret={setSecret}
        />
      )}
      {leaving && (
        <ConfirmDialog
          title={`Delete ${leaving.name}?`}
          action="Delete"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(leaving.id)}
          onClose={() => setLeaving(undefined)}
        >
          Alerts that name it go on without it.
        </ConfirmDialog>
      )}
      {secret !== undefined && (
        <SecretOnce
          title="The signing secret"
          secrets={[{ label: 'Signing secret', text: secret }]}
          onClose={() => setSecret(undefined)}
        >
          The receiver checks signatures with it. It is shown this once.
        </SecretOnce>
      )}
    </section>
  );
}

function settingOf(channel: AlertDestination['channel']): string {
  if (channel.kind === 'webhook') return channel.url;
  if (channel.kind === 'email') return channel.to.join(', ');
  return 'endpoint' in channel ? channel.endpoint : '';
}

function DestinationDialog(props: {
  destination: AlertDestination | undefined;
  onClose: () => void;
  onSecret: (secret: string) => void;
}) {
  const { destination } = props;
  const [form, setForm] = useState({
    name: destination?.name ?? '',
    kind: destination?.channel.kind ?? ('webhook' as ChannelKind),
    setting: destination === undefined ? '' : settingOf(destination.channel),
    secret: '',
    enabled: destination?.enabled ?? true,
  });
  const set = (next: Partial<typeof form>) => setForm((before) => ({ ...before, ...next }));
  const asked = CHANNELS[form.kind];
  const setting = form.setting.trim();
  const channel = () => {
    if (form.kind === 'webhook') return { kind: form.kind, url: setting };
    if (form.kind === 'email') return { kind: form.kind, to: splitList(setting, 20) };
    if (form.kind === 'pagerduty' || form.kind === 'opsgenie')
      return { kind: form.kind, ...(setting === '' ? {} : { endpoint: setting }) };
    return { kind: form.kind };
  };
  const save = useApiMutation(saveDestination, {
    touches,
    forgets: true,
    onDone: ({ secret }) => {
      props.onClose();
      if (secret !== null) props.onSecret(secret);
    },
  });
  return (
    <FormDialog
      title={destination === undefined ? 'New destination' : `Edit ${destination.name}`}
      action={destination === undefined ? 'Create' : 'Save'}
      busy={save.isPending}
      error={save.error}
      ready={form.name.trim() !== ''}
      onSubmit={() =>
        save.mutate({
          id: destination?.id,
          body: {
            name: form.name,
            enabled: form.enabled,
            channel: channel(),
            ...(form.secret.trim() === '' ? {} : { secret: form.secret.trim() }),
          },
        })
      }
      onClose={props.onClose}
    >
      <TextField label="Name" value={form.name} onValue={(name) => set({ name })} maxLength={100} autoFocus />
      <SelectField
        label="Kind"
        value={form.kind}
        onValue={(kind) => set({ kind: kind as ChannelKind, setting: '', secret: '' })}
        options={KIND_OPTIONS}
        disabled={destination !== undefined}
      />
      {asked.setting !== undefined && (
        <TextField
          label={asked.setting}
          value={form.setting}
          onValue={(next) => set({ setting: next })}
          placeholder={ENDPOINTS[form.kind] ?? (form.kind === 'email' ? 'oncall@example.com' : 'https://')}
          hint={asked.secret === undefined ? asked.hint : undefined}
        />
      )}
      {asked.secret !== undefined && (
        <TextField
          label={asked.secret}
          type="password"
          autoComplete="off"
          value={form.secret}
          onValue={(next) => set({ secret: next })}
          hint={destination?.hasSecret === true ? 'Empty: it stays as it is.' : asked.hint}
        />
      )}
      <CheckField label="Switched on" checked={form.enabled} onChange={(enabled) => set({ enabled })} />
    </FormDialog>
  );
}
