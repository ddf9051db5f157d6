import { useQuery } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { ALERT_KEY, createSilence, endSilence, silencesQuery } from '../../api/alerts.ts';
import { transferFocus } from '../../lib/transfer-focus.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Failure, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';

const touches = [ALERT_KEY];
const HOURS = [
  { value: '1', label: '1 hour' },
  { value: '4', label: '4 hours' },
  { value: '24', label: '1 day' },
  { value: '168', label: '1 week' },
];

/** Silences: who is not told of what, until when. */
export function Silences({ mayChange }: { mayChange: boolean }) {
  const query = useQuery(silencesQuery());
  const [making, setMaking] = useState(false);
  const end = useApiMutation(endSilence, { touches });
  if (query.isLoadingError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <SkeletonRows rows={3} label="Loading the silences" />;
  return (
    <section aria-label="Silences" className="flex flex-col gap-2">
      {mayChange && (
        <Button className="self-start" onClick={() => setMaking(true)}>
          <Plus size={14} aria-hidden />
          New silence
        </Button>
      )}
      <ErrorLine error={end.error} />
      <Table
        label="Silences"
        rows={query.data}
        keyOf={({ id }) => id}
        empty="Nothing is silenced."
        isPast={({ state }) => state === 'expired'}
        columns={[
          {
            label: 'State',
            cell: ({ state }) => <Badge tone={state === 'active' ? 'warn' : 'plain'}>{state}</Badge>,
          },
          {
            label: 'What',
            leads: true,
            cell: ({ matchers }) =>
              matchers
                .map(({ label, value, not }) => `${label} ${not ? 'is not' : 'is'} ${value}`)
                .join(', '),
          },
          { label: 'Until', cell: ({ endsAt }) => <When time={endsAt} /> },
          { label: 'By', cell: ({ author }) => author },
          { label: 'Comment', className: 'whitespace-normal', cell: ({ comment }) => comment },
          {
            label: 'Actions',
            align: 'end',
            cell: ({ id, state, comment }) =>
              mayChange &&
              state !== 'expired' && (
                <Button
                  className="h-6"
                  aria-label={`End the silence ${comment}`}
                  onClick={() => end.mutate(id)}
                >
                  End
                </Button>
              ),
          },
        ]}
      />
      {making && <NewSilence onClose={() => setMaking(false)} />}
    </section>
  );
}

interface Row {
  readonly key: number;
  readonly label: string;
  readonly not: boolean;
  readonly value: string;
}
const MOST_ROWS = 10;

/** Asks what is silenced and for how long. */
export function NewSilence(props: {
  matchers?: readonly { readonly label: string; readonly value: string }[];
  onClose: () => void;
}) {
  const [rows, setRows] = useState<readonly Row[]>(() =>
    (props.matchers ?? [{ label: 'alert', value: '' }]).map((matcher, key) => ({
      key,
      not: false,
      ...matcher,
    })),
  );
  const [hours, setHours] = useState('1');
  const [comment, setComment] = useState('');
  const list = useRef<HTMLFieldSetElement>(null);
  const set = (key: number, next: Partial<Row>) =>
    setRows((before) => before.map((row) => (row.key === key ? { ...row, ...next } : row)));
  const make = useApiMutation(createSilence, { touches, onDone: props.onClose });
  // A group may have no value of a field; what is added by hand has one.
  const given = props.matchers?.length ?? 0;
  const isWritten = ({ key, label, value }: Row) =>
    label.trim() !== '' && (value.trim() !== '' || key < given);
  return (
    <FormDialog
      title="New silence"
      action="Silence"
      wide
      busy={make.isPending}
      error={make.error}
      ready={rows.every(isWritten) && comment.trim() !== ''}
      onSubmit={() =>
        make.mutate({
          matchers: rows.map(({ label, not, value }) => ({ label: label.trim(), not, value: value.trim() })),
          endsAt: new Date(Date.now() + Number(hours) * 3_600_000).toISOString(),
          comment,
        })
      }
      onClose={props.onClose}
    >
      <fieldset ref={list} className="flex min-w-0 flex-col gap-2">
        <legend className="mb-1 text-sm font-medium">What is silenced: all of these hold</legend>
        {rows.map((row, at) => (
          <div key={row.key} className="flex flex-wrap items-end gap-2">
            <TextField
              label="Label"
              aria-label={`Label ${at + 1}`}
              className="w-40 grow"
              value={row.label}
              onValue={(label) => set(row.key, { label })}
              maxLength={300}
            />
            <SelectField
              label="Is"
              aria-label={`Is or is not ${at + 1}`}
              className="w-24"
              value={row.not ? 'not' : 'is'}
              onValue={(value) => set(row.key, { not: value === 'not' })}
              options={[
                { value: 'is', label: 'is' },
                { value: 'not', label: 'is not' },
              ]}
            />
            <TextField
              label="Value"
              aria-label={`Value ${at + 1}`}
              className="w-48 grow-2"
              value={row.value}
              onValue={(value) => set(row.key, { value })}
              maxLength={300}
              autoFocus={at === 0 && row.value === ''}
            />
            {rows.length > 1 && (
              <Button
                look="plain"
                className="mb-0.5"
                aria-label={`Remove condition ${at + 1}`}
                onClick={(event) => {
                  transferFocus(event.currentTarget, () => list.current?.querySelector('input'));
                  setRows((before) => before.filter(({ key }) => key !== row.key));
                }}
              >
                <Trash2 size={14} aria-hidden />
              </Button>
            )}
          </div>
        ))}
        <p className="text-sm text-muted">
          Labels of the alert and fields that it is grouped by; also alert (its name), alertId and severity.
          In values * is any text.
        </p>
        {rows.length < MOST_ROWS && (
          <Button
            className="self-start"
            onClick={() =>
              setRows((before) => [
                ...before,
                { key: Math.max(...before.map(({ key }) => key)) + 1, label: '', not: false, value: '' },
              ])
            }
          >
            <Plus size={14} aria-hidden />
            Add condition
          </Button>
        )}
      </fieldset>
      <SelectField label="For" value={hours} onValue={setHours} options={HOURS} />
      <TextField
        label="Comment"
        value={comment}
        onValue={setComment}
        maxLength={500}
        hint="Why, for the others."
        autoFocus={props.matchers !== undefined}
      />
    </FormDialog>
  );
}
