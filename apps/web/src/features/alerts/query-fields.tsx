import type { AlertSourceInput } from '@candela/contract';
import { useState } from 'react';
import { SelectField, TextField } from '../../ui/field.tsx';
import { measureWords } from '../panels/prepare-frame.ts';
import { splitList } from './draft.ts';

type Query = Extract<AlertSourceInput, { kind: 'threshold' }>['query'];

const MEASURES = [
  'count',
  'errors',
  'error_rate',
  'cost',
  'duration_p50',
  'duration_p95',
  'duration_p99',
  'duration_avg',
  'ttft_p95',
  'input_tokens',
  'output_tokens',
  'model_calls',
  'traces',
  'sessions',
  'users',
] as const;
/** Log records have no durations, tokens or cost. */
const OF_LOGS: readonly string[] = ['count', 'errors', 'error_rate', 'traces', 'sessions', 'users'];
const HOW = ['', 'avg', 'sum', 'min', 'max', 'last', 'rate', 'increase', 'count', 'p50', 'p90', 'p95', 'p99'];

/** What is measured: the query of a chart, with one measure. */
export function QueryFields({ query, onChange }: { query: Query; onChange: (query: Query) => void }) {
  const [groups, setGroups] = useState((query.body.groupBy ?? []).join(', '));
  const body = (next: object) => onChange({ ...query, body: { ...query.body, ...next } } as Query);
  const signal = query.kind === 'metric' ? 'metric' : (query.body.signal ?? 'spans');
  const choose = (next: string) =>
    onChange(
      next === 'metric'
        ? { kind: 'metric', body: { metric: 'hw.gpu.utilization', groupBy: [] } }
        : { kind: 'aggregate', body: { signal: next as 'spans' | 'logs', groupBy: [], measures: ['count'] } },
    );
  return (
    <>
      <SelectField
        label="Measures"
        value={signal}
        onValue={choose}
        options={[
          { value: 'spans', label: 'Spans' },
          { value: 'logs', label: 'Log records' },
          { value: 'metric', label: 'A metric' },
        ]}
      />
      {query.kind === 'aggregate' ? (
        <SelectField
          label="Value"
          value={query.body.measures?.[0] ?? 'count'}
          onValue={(measure) => body({ measures: [measure] })}
          options={MEASURES.filter((one) => signal !== 'logs' || OF_LOGS.includes(one)).map((one) => ({
            value: one,
            label: measureWords(one),
          }))}
        />
      ) : (
        <>
          <TextField
            label="Metric"
            value={query.body.metric}
            onValue={(metric) => body({ metric })}
            maxLength={300}
          />
          <SelectField
            label="Value"
            value={query.body.aggregation ?? ''}
            onValue={(how) => body({ aggregation: how === '' ? undefined : how })}
            options={HOW.map((one) => ({ value: one, label: one === '' ? 'what suits it' : one }))}
          />
        </>
      )}
      <TextField
        label="Filter"
        value={query.body.q ?? ''}
        onValue={(q) => body({ q: q === '' ? undefined : q })}
        hint="As in the search box: service:checkout status:error"
      />
      <TextField
        label="For each"
        value={groups}
        onValue={(next) => {
          setGroups(next);
          body({ groupBy: splitList(next, 3) });
        }}
        hint="At most three fields: model, user. Empty: all together."
      />
    </>
  );
}
