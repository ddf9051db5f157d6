import type { RetentionSettings } from '@candela/contract';
import type { Signal } from '@candela/kernel';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { changeRetention, retentionQuery } from '../../api/connectors.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/form.tsx';
import { Table } from '../../ui/table.tsx';
import { useProject } from '../session/use-project.ts';
import { useWhoAsks } from '../session/use-person.ts';
import { Loaded, Section, SettingsPage } from './page.tsx';

const SIGNALS: readonly { readonly signal: Signal; readonly label: string }[] = [
  { signal: 'traces', label: 'Traces' },
  { signal: 'metrics', label: 'Metrics' },
  { signal: 'logs', label: 'Logs' },
];
/** As the contract bounds it. */
const MOST_DAYS = 3_650;
const days = (count: number) => `${count} ${count === 1 ? 'day' : 'days'}`;

/** How long the records of the project in the header are kept. */
export function RetentionPage() {
  const project = useProject();
  const query = useQuery(retentionQuery());
  return (
    <SettingsPage
      title="Retention"
      about="How long records are kept. A shorter time also deletes what is older; a longer one counts for what arrives from then on."
    >
      <Section title={project === undefined ? 'By signal' : `Retention of ${project.name}`}>
        <Loaded query={query} label="the retention">
          {(retention) => <Signals retention={retention} />}
        </Loaded>
      </Section>
    </SettingsPage>
  );
}

function Signals({ retention }: { retention: RetentionSettings }) {
  const { can } = useWhoAsks();
  const [changing, setChanging] = useState<Signal>();
  const row = SIGNALS.find((each) => each.signal === changing);
  return (
    <>
      <Table
        label="Retention"
        rows={SIGNALS}
        keyOf={(each) => each.signal}
        empty=""
        columns={[
          { label: 'Signal', cell: (each) => each.label },
          { label: 'Kept for', align: 'end', cell: (each) => days(retention[each.signal].days) },
          {
            label: 'Chosen by',
            cell: (each) =>
              retention[each.signal].own ? <Badge tone="accent">this project</Badge> : <Badge>default</Badge>,
          },
          { label: 'Default', align: 'end', cell: (each) => days(retention[each.signal].default) },
          {
            label: 'Actions',
            align: 'end',
            cell: (each) =>
              can('admin') && (
                <Button
                  className="h-6"
                  aria-label={`Change the retention of ${each.signal}`}
                  onClick={() => setChanging(each.signal)}
                >
                  Change
                </Button>
              ),
          },
        ]}
      />
      {row && (
        <Change
          signal={row.signal}
          label={row.label}
          now={retention[row.signal]}
          onClose={() => setChanging(undefined)}
        />
      )}
    </>
  );
}

function Change(props: {
  signal: Signal;
  label: string;
  now: RetentionSettings[Signal];
  onClose: () => void;
}) {
  const { now } = props;
  const [text, setText] = useState(String(now.days));
  const [sure, setSure] = useState(false);
  const change = useApiMutation(changeRetention, { touches: [['retention']], onDone: props.onClose });
  const chosen = Number(text);
  const whole = /^\d+$/.test(text) && chosen >= 1 && chosen <= MOST_DAYS;
  const send = (value: number | null) => change.mutate({ [props.signal]: value });
  if (sure)
    return (
      <ConfirmDialog
        title={`Keep ${props.label.toLowerCase()} for ${days(chosen)} only?`}
        action="Delete what is older"
        busy={change.isPending}
        error={change.error}
        onConfirm={() => send(chosen)}
        onClose={() => setSure(false)}
      >
        <p>
          {props.label} between {days(chosen)} and {days(now.days)} old are deleted soon, and cannot be
          brought back.
        </p>
      </ConfirmDialog>
    );
  return (
    <FormDialog
      title={`Retention of ${props.label.toLowerCase()}`}
      action="Keep so long"
      busy={change.isPending}
      error={change.error}
      ready={whole && chosen !== now.days}
      onSubmit={() => (chosen < now.days ? setSure(true) : send(chosen))}
      onClose={props.onClose}
    >
      <TextField
        label="Days"
        type="number"
        inputMode="numeric"
        min={1}
        max={MOST_DAYS}
        required
        autoFocus
        value={text}
        onValue={setText}
        hint={`1 to ${MOST_DAYS}.`}
        error={text !== '' && !whole ? `A whole number from 1 to ${MOST_DAYS}.` : undefined}
      />
      {now.own && now.default >= now.days && (
        <div>
          <Button disabled={change.isPending} onClick={() => send(null)}>
            Back to the default of {days(now.default)}
          </Button>
        </div>
      )}
    </FormDialog>
  );
}
