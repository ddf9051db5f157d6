import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { ALERT_KEY, createSilence, endSilence, silencesQuery } from '../../api/alerts.ts';
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

/** Asks what is silenced and for how long. */
export function NewSilence(props: { matchers?: string; onClose: () => void }) {
  const [text, setText] = useState(props.matchers ?? '');
  const [hours, setHours] = useState('1');
  const [comment, setComment] = useState('');
  const matchers = text
    .split('\n')
    .flatMap((row) => row.split(','))
    .flatMap((part) => {
      const [, label = '', sign = '=', value = ''] = /^\s*([^=!\s]+)\s*(!?=)\s*(.*?)\s*$/.exec(part) ?? [];
      return label === '' ? [] : [{ label, value, not: sign === '!=' }];
    });
  const make = useApiMutation(createSilence, { touches, onDone: props.onClose });
  return (
    <FormDialog
      title="New silence"
      action="Silence"
      busy={make.isPending}
      error={make.error}
      ready={matchers.length > 0 && comment.trim() !== ''}
      onSubmit={() =>
        make.mutate({
          matchers,
          endsAt: new Date(Date.now() + Number(hours) * 3_600_000).toISOString(),
          comment,
        })
      }
      onClose={props.onClose}
    >
      <TextField
        label="What"
        value={text}
        onValue={setText}
        placeholder="alert = Errors of calls, service != shop*"
        hint="Labels and fields it is grouped by; also alert, alertId and severity. All must hold; * is any text."
        autoFocus
      />
      <SelectField label="For" value={hours} onValue={setHours} options={HOURS} />
      <TextField
        label="Comment"
        value={comment}
        onValue={setComment}
        maxLength={500}
        hint="Why, for the others."
      />
    </FormDialog>
  );
}
