import type { Panel } from '@candela/contract';
import { useState } from 'react';
import type { Scope } from '../../api/telemetry.ts';
import { CheckList, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FieldName } from './field-name.tsx';
import {
  measuresOf,
  PANEL_SOURCES,
  SCORE_GROUPS,
  SCORE_MEASURES,
  TIMED_SCORE_GROUPS,
  USAGE_MEASURES,
  askedFrom,
} from './panel-start.ts';
import { measureWords } from './prepare-frame.ts';

type Query = Panel['query'];
type Of<Kind extends Query['kind']> = Extract<Query, { kind: Kind }>;
interface Props<Kind extends Query['kind']> {
  readonly query: Of<Kind>;
  readonly scope: Scope;
  readonly onQuery: (query: Query) => void;
}

const HOW = ['avg', 'sum', 'min', 'max', 'last', 'rate', 'increase', 'count', 'p50', 'p90', 'p95', 'p99'];
const worded = (values: readonly string[]) => values.map((value) => ({ value, label: measureWords(value) }));

/** What a panel asks: its source, and what the source asks for. */
export function PanelFields(props: { panel: Panel; scope: Scope; onPanel: (panel: Panel) => void }) {
  const { panel, scope } = props;
  const { query } = panel;
  const onQuery = (next: Query) => props.onPanel({ ...panel, query: next });
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <SelectField
        label="Source"
        value={query.kind}
        onValue={(kind) => props.onPanel(askedFrom(panel, kind as Query['kind']))}
        options={PANEL_SOURCES}
      />
      {query.kind === 'aggregate' && <RowFields query={query} scope={scope} onQuery={onQuery} />}
      {query.kind === 'metric' && <MetricFields query={query} scope={scope} onQuery={onQuery} />}
      {query.kind === 'durations' && (
        <FilterField
          q={query.body.q}
          onQ={(q) => onQuery({ kind: 'durations', body: { ...query.body, q } })}
        />
      )}
      {query.kind === 'scores' && <ScoreFields query={query} scope={scope} onQuery={onQuery} />}
      {query.kind === 'usage' && <UsageFields query={query} scope={scope} onQuery={onQuery} />}
      {query.kind === 'sql' && (
        <TextArea
          label="Statement"
          className="sm:col-span-2"
          hint="Over otel_traces and the otel_metrics tables. {{filter.name}} is the value of a variable; a part in [[ ]] goes while the variable has none."
          value={query.query}
          onValue={(text) => onQuery({ kind: 'sql', query: text })}
          rows={8}
          spellCheck={false}
        />
      )}
      {query.kind === 'markdown' && (
        <TextArea
          label="Text"
          className="sm:col-span-2"
          hint="Markdown"
          value={query.text}
          onValue={(next) => onQuery({ kind: 'markdown', text: next })}
          rows={8}
        />
      )}
    </div>
  );
}

const FilterField = ({ q, onQ }: { q: string | undefined; onQ: (q: string) => void }) => (
  <TextField
    label="Filter"
    hint="As in the search box: service:checkout status:error"
    value={q ?? ''}
    onValue={onQ}
  />
);

/** A list of fields that is typed: it keeps what was typed while that is no list yet. */
function GroupsField(props: {
  signal: 'spans' | 'logs';
  scope: Scope;
  groups: readonly string[];
  onGroups: (groups: string[]) => void;
}) {
  const [first = '', second = ''] = props.groups;
  const set = (at: number, field: string) =>
    props.onGroups(
      [at === 0 ? field : first, at === 1 ? field : second, ...props.groups.slice(2)].filter(Boolean),
    );
  return (
    <>
      <FieldName
        label="Group by"
        hint="A field: model, attributes.key"
        signal={props.signal}
        scope={props.scope}
        value={first}
        onValue={(field) => set(0, field)}
      />
      <FieldName
        label="Split by"
        hint="Each group once more by this"
        signal={props.signal}
        scope={props.scope}
        value={second}
        onValue={(field) => set(1, field)}
      />
    </>
  );
}

function TopField({ value, onValue }: { value: number; onValue: (top: number) => void }) {
  return (
    <TextField
      label="Top"
      hint="Groups at most, the largest first"
      type="number"
      min={1}
      max={100}
      value={String(value)}
      onValue={(text) => onValue(Math.min(100, Math.max(1, Math.round(Number(text) || 1))))}
    />
  );
}

function RowFields({ query, scope, onQuery }: Props<'aggregate'>) {
  const { body } = query;
  const set = (next: Partial<typeof body>) => onQuery({ kind: 'aggregate', body: { ...body, ...next } });
  return (
    <>
      <SelectField
        label="Signal"
        value={body.signal}
        onValue={(text) => {
          const signal = text === 'logs' ? 'logs' : 'spans';
          const measures = body.measures.filter((one) => measuresOf(signal).includes(one));
          set({ signal, measures: measures.length === 0 ? ['count'] : measures });
        }}
        options={[
          { value: 'spans', label: 'Spans' },
          { value: 'logs', label: 'Log records' },
        ]}
      />
      <FilterField q={body.q} onQ={(q) => set({ q })} />
      <GroupsField
        signal={body.signal}
        scope={scope}
        groups={body.groupBy}
        onGroups={(groupBy) => set({ groupBy })}
      />
      <TopField value={body.limit} onValue={(limit) => set({ limit })} />
      <div className="sm:col-span-2">
        <CheckList
          label="Measures"
          options={worded(measuresOf(body.signal))}
          chosen={body.measures}
          onChange={(chosen) => {
            const measures = measuresOf(body.signal).filter((one) => chosen.includes(one));
            if (measures.length > 0) set({ measures });
          }}
        />
      </div>
    </>
  );
}

/** What is asked of a metric. */
export function MetricFields({ query, onQuery }: Props<'metric'>) {
  const { body } = query;
  const [groups, setGroups] = useState(body.groupBy.join(', '));
  const set = (next: object) => onQuery({ kind: 'metric', body: { ...body, ...next } });
  return (
    <>
      <TextField label="Metric" value={body.metric} onValue={(metric) => set({ metric })} />
      <SelectField
        label="Aggregation"
        value={body.aggregation ?? ''}
        onValue={(how) => set({ aggregation: how === '' ? undefined : how })}
        options={[
          { value: '', label: 'What suits the metric' },
          ...HOW.map((how) => ({ value: how, label: how })),
        ]}
      />
      <FilterField q={body.q} onQ={(q) => set({ q })} />
      <TextField
        label="Group by"
        hint="Labels, separated by commas: attributes.hw.id"
        value={groups}
        onValue={(text) => {
          setGroups(text);
          set({
            groupBy: text
              .split(',')
              .map((part) => part.trim())
              .filter((part) => part !== '')
              .slice(0, 3),
          });
        }}
      />
      <TopField value={body.limit} onValue={(limit) => set({ limit })} />
    </>
  );
}

function ScoreFields({ query, onQuery }: Props<'scores'>) {
  const { body } = query;
  const set = (next: object) => onQuery({ kind: 'scores', body: { ...body, ...next } });
  const text = (label: string, key: 'name' | 'evaluator') => (
    <TextField
      label={label}
      hint="Empty: all."
      value={body[key] ?? ''}
      onValue={(value) => set({ [key]: value === '' ? undefined : value })}
    />
  );
  return (
    <>
      <SelectField
        label="Group by"
        value={body.groupBy[0] ?? ''}
        onValue={(by) => set({ groupBy: by === '' ? [] : [by] })}
        options={[
          { value: '', label: 'All together' },
          ...(body.overTime ? TIMED_SCORE_GROUPS : SCORE_GROUPS),
        ]}
      />
      {text('Name of the score', 'name')}
      {text('Evaluator', 'evaluator')}
      <TopField value={body.limit} onValue={(limit) => set({ limit })} />
      <div className="sm:col-span-2">
        <CheckList
          label="Measures"
          options={worded(SCORE_MEASURES)}
          chosen={body.measures}
          onChange={(chosen) => chosen.length > 0 && set({ measures: [...chosen] })}
        />
      </div>
    </>
  );
}

function UsageFields({ query, onQuery }: Props<'usage'>) {
  const { body } = query;
  const set = (next: object) => onQuery({ kind: 'usage', body: { ...body, ...next } });
  return (
    <>
      <SelectField
        label="Group by"
        value={body.groupBy[0] ?? ''}
        onValue={(by) => set({ groupBy: by === '' ? [] : [by] })}
        options={[
          { value: '', label: 'All together' },
          { value: 'feature', label: 'Feature' },
          { value: 'provider', label: 'Provider' },
          { value: 'model', label: 'Model' },
        ]}
      />
      <TopField value={body.limit} onValue={(limit) => set({ limit })} />
      <div className="sm:col-span-2">
        <CheckList
          label="Measures"
          options={worded(USAGE_MEASURES)}
          chosen={body.measures}
          onChange={(chosen) => chosen.length > 0 && set({ measures: [...chosen] })}
        />
      </div>
    </>
  );
}
