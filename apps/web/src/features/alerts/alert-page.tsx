import type { Alert, AlertDraft, AlertGroup } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { acknowledgeAlert, ALERT_KEY, alertQuery, deleteAlert, saveAlert } from '../../api/alerts.ts';
import { formatCount } from '../../lib/format.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { ConfirmDialog, Form } from '../../ui/form.tsx';
import { BackLink } from '../../ui/page-head.tsx';
import { Failure, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { useShell } from '../shell/shell-search.ts';
import { AlertForm } from './alert-form.tsx';
import { draftOf, newDraft } from './draft.ts';
import { AlertEvents } from './events.tsx';
import { Preview } from './preview.tsx';
import { NewSilence } from './silences.tsx';
import { Labels, StateBadge } from './state-badge.tsx';

const route = getRouteApi('/alerts/$alert');
const touches = [ALERT_KEY];

/** One alert: what it watches, what it would have done, what it did. `new` is one that is not saved yet. */
export function AlertPage() {
  const { alert: id } = route.useParams();
  const { on } = route.useSearch();
  const isNew = id === 'new';
  const query = useQuery({ ...alertQuery(id), enabled: !isNew });
  if (isNew) return <Editor key={on ?? 'new'} start={newDraft(on)} />;
  if (query.isLoadingError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <SkeletonRows label="Loading the alert" />;
  const { alert, groups } = query.data;
  return (
    <Editor key={`${alert.id} ${alert.revision}`} start={draftOf(alert)} alert={alert} groups={groups} />
  );
}

function Editor(props: { start: AlertDraft; alert?: Alert; groups?: readonly AlertGroup[] }) {
  const { alert } = props;
  const { environment } = useShell();
  const { can } = useWhoAsks();
  const navigate = useNavigate();
  const [draft, setDraft] = useState(props.start);
  const [leaving, setLeaving] = useState(false);
  const mayChange = can('member');
  const save = useApiMutation(
    () => saveAlert(environment, { id: alert?.id, revision: alert?.revision, alert: draft }),
    {
      touches,
      onDone: (saved) => {
        if (alert === undefined)
          void navigate({ to: '/alerts/$alert', params: { alert: saved.id }, search: {}, replace: true });
      },
    },
  );
  const remove = useApiMutation(deleteAlert, { touches, onDone: () => void navigate({ to: '/alerts' }) });
  const title = alert?.name ?? 'New alert';
  return (
    <div className="flex h-full flex-col">
      <title>{`${title} · Candela`}</title>
      <header className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-1.5">
        <BackLink to="/alerts" label="Back to the alerts" />
        <h1 className="min-w-0 truncate text-lg font-semibold">{title}</h1>
        {alert && <StateBadge status={alert.status} />}
        {mayChange && (
          <span className="ml-auto flex gap-2">
            {alert && <Button onClick={() => setLeaving(true)}>Delete</Button>}
            <Button
              look="primary"
              busy={save.isPending}
              disabled={draft.name.trim() === ''}
              onClick={() => save.mutate(undefined)}
            >
              {alert ? 'Save' : 'Create'}
            </Button>
          </span>
        )}
      </header>
      <div className="min-h-0 grow overflow-auto p-3">
        <div className="mx-auto flex max-w-5xl flex-col gap-4">
          <ErrorLine error={save.error} />
          {alert?.error != null && <p className="text-danger">It could not be evaluated. {alert.error}</p>}
          {alert && <Groups alert={alert} groups={props.groups ?? []} mayChange={mayChange} />}
          <Form label="Alert" busy={save.isPending} onSubmit={() => mayChange && save.mutate(undefined)}>
            <fieldset disabled={!mayChange} className="min-w-0">
              <AlertForm alert={draft} onChange={(next) => setDraft((before) => ({ ...before, ...next }))} />
            </fieldset>
          </Form>
          <Preview alert={draft.name.trim() === '' ? { ...draft, name: 'Preview' } : draft} />
          {alert && (
            <section className="flex flex-col gap-1">
              <h2 className="font-medium">What happened</h2>
              <AlertEvents alertId={alert.id} />
            </section>
          )}
        </div>
      </div>
      {leaving && alert && (
        <ConfirmDialog
          title={`Delete ${alert.name}?`}
          action="Delete"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(alert.id)}
          onClose={() => setLeaving(false)}
        >
          Its history and messages go with it.
        </ConfirmDialog>
      )}
    </div>
  );
}

const SHOWN = 100;
/** A text as the value of a silence, in which * would be any text. */
const asItIs = (text: string): string => text.replaceAll(/[\\*]/g, String.raw`\$&`);

/** Groups and their states, those that fire first. */
function Groups(props: { alert: Alert; groups: readonly AlertGroup[]; mayChange: boolean }) {
  const { alert, mayChange } = props;
  const [silencing, setSilencing] = useState<AlertGroup>();
  const acknowledge = useApiMutation(acknowledgeAlert, { touches });
  const order = (group: AlertGroup) => (group.status === 'firing' ? 0 : group.status === 'ok' ? 2 : 1);
  const rows = props.groups.toSorted((a, b) => order(a) - order(b)).slice(0, SHOWN);
  if (rows.length === 0) return null;
  return (
    <section aria-label="Groups" className="rounded-md border border-line">
      <ErrorLine error={acknowledge.error} className="px-2" />
      <Table
        label="Groups"
        rows={rows}
        keyOf={({ key }) => key}
        empty=""
        columns={[
          { label: 'State', cell: ({ status }) => <StateBadge status={status} /> },
          { label: 'Group', leads: true, cell: ({ labels }) => <Labels labels={labels} /> },
          { label: 'Value', align: 'end', cell: ({ value }) => (value === null ? '–' : formatCount(value)) },
          { label: 'Since', cell: ({ since }) => <When time={since} /> },
          {
            label: 'Actions',
            align: 'end',
            cell: (group) =>
              mayChange &&
              (group.status === 'firing' || group.status === 'no_data') && (
                <span className="flex justify-end gap-1">
                  <Button
                    className="h-6"
                    onClick={() =>
                      acknowledge.mutate({
                        id: alert.id,
                        groupKey: group.key,
                        acknowledged: group.acknowledgedBy === null,
                      })
                    }
                  >
                    {group.acknowledgedBy === null
                      ? 'Acknowledge'
                      : `Acknowledged by ${group.acknowledgedBy}`}
                  </Button>
                  <Button className="h-6" onClick={() => setSilencing(group)}>
                    {group.silenced ? 'Silenced' : 'Silence'}
                  </Button>
                </span>
              ),
          },
        ]}
      />
      {props.groups.length > SHOWN && (
        <p className="p-2 text-sm text-muted">and {props.groups.length - SHOWN} more</p>
      )}
      {silencing && (
        <NewSilence
          matchers={[
            { label: 'alert', value: asItIs(alert.name) },
            ...Object.entries(silencing.labels).map(([label, value]) => ({ label, value: asItIs(value) })),
          ]}
          onClose={() => setSilencing(undefined)}
        />
      )}
    </section>
  );
}
