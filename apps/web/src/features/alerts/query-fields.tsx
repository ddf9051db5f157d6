import type { AlertSourceInput } from '@candela/contract';
import { useState } from 'react';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { SCORE_GROUPS, SCORE_MEASURES } from '../panels/panel-start.ts';
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
  'total_tokens',
  'model_calls',
  'traces',
  'sessions',
  'users',
] as const;
/** Log records have no durations, tokens or cost. */
const OF_LOGS: readonly string[] = ['count', 'errors', 'error_rate', 'traces', 'sessions', 'users'];
const HOW = ['', 'avg', 'sum', 'min', 'max', 'last', 'rate', 'increase', 'count', 'p50', 'p90', 'p95', 'p99'];

const STARTS: Readonly<Record<string, Query>> = {
  spans: { kind: 'aggregate', body: { signal: 'spans', groupBy: [], measures: ['count'] } },
  logs: { kind: 'aggregate', body: { signal: 'logs', groupBy: [], measures: ['count'] } },
  metric: { kind: 'metric', body: { metric: 'hw.gpu.utilization', groupBy: [] } },
  scores: { kind: 'scores', body: { measures: ['pass_rate'], groupBy: [] } },
  sql: { kind: 'sql', query: 'SELECT ServiceName, count() AS spans FROM otel_traces GROUP BY ServiceName' },
};

/** What is measured: the query of a chart, with one measure. */
export function QueryFields({ query, onChange }: { query: Query; onChange: (query: Query) => void }) {
  const signal = query.kind === 'aggregate' ? (query.body.signal ?? 'spans') : query.kind;
  return (
    <>
      <SelectField
        label="Measures"
        value={signal}
        onValue={(next) => onChange(STARTS[next] ?? query)}
        options={[
          { value: 'spans', label: 'Spans' },
          { value: 'logs', label: 'Log records' },
          { value: 'metric', label: 'A metric' },
          { value: 'scores', label: 'Scores' },
          { value: 'sql', label: 'SQL' },
        ]}
      />
      {query.kind === 'sql' ? (
        <TextArea
          label="Statement"
          className="sm:col-span-2"
          hint="The first number of a row is its value, its texts are its group. It sees the rows of the window."
          value={query.query}
          onValue={(text) => onChange({ kind: 'sql', query: text })}
          rows={5}
          spellCheck={false}
        />
      ) : query.kind === 'scores' ? (
        <ScoreFields query={query} onChange={onChange} />
      ) : (
        <RowFields query={query} signal={signal} onChange={onChange} />
      )}
    </>
  );
}

function ScoreFields(props: { query: Extract<Query, { kind: 'scores' }>; onChange: (query: Query) => void }) {
  const { body } = props.query;
  const set = (next: object) => props.onChange({ kind: 'scores', body: { ...body, ...next } });
  return (
    <>
      <SelectField
        label="Value"
        value={body.measures?.[0] ?? 'pass_rate'}
        onValue={(measure) => set({ measures: [measure] })}
        options={SCORE_MEASURES.map((one) => ({ value: one, label: measureWords(one) }))}
      />
      <TextField
        label="Name of the score"
        value={body.name ?? ''}
        onValue={(name) => set({ name: name === '' ? undefined : name })}
        hint="Empty: all."
      />
      <SelectField
        label="For each"
        value={body.groupBy?.[0] ?? ''}
        onValue={(by) => set({ groupBy: by === '' ? [] : [by] })}
        options={[{ value: '', label: 'All together' }, ...SCORE_GROUPS]}
      />
    </>
  );
}

function RowFields(props: {
  query: Extract<Query, { kind: 'aggregate' | 'metric' }>;
  signal: string;
  onChange: (query: Query) => void;
}) {
  const { query, signal } = props;
  const [groups, setGroups] = useState((query.body.groupBy ?? []).join(', '));
  const body = (next: object) => props.onChange({ ...query, body: { ...query.body, ...next } } as Query);
  return (
    <>
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
