import type { MetricAggregation } from '@candela/contract';
import { FIELDS } from '@candela/contract/filter';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { catalogueQuery, labelsQuery, type MetricAnswer } from '../../api/metrics.ts';
import type { Scope } from '../../api/telemetry.ts';
import { completionAt, quoted } from '../../lib/query-text.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceMenu } from '../../ui/menu.tsx';
import { queryTrouble } from '../explore/query-trouble.ts';
import { type Suggestion, suggestFields } from '../explore/suggest.ts';
import type { ExplorerQuery, Letter } from './explore-search.ts';
import { LabelPicker } from './label-picker.tsx';
import { typeWords } from './metric-words.ts';
import { SuggestInput } from './suggest-input.tsx';

const MOST_METRICS = 50;
const NO_FILTER = {};

/** One query: which metric, how added up, which series, by which labels. */
export function QueryRow(props: {
  letter: Letter;
  query: ExplorerQuery;
  answer: MetricAnswer | undefined;
  scope: Omit<Scope, 'q'>;
  onChange: (query: ExplorerQuery) => void;
  /** Absent for the only query. */
  onRemove: (() => void) | undefined;
  metricInput: (input: HTMLInputElement | null) => void;
}) {
  const { letter, query, answer, scope, onChange } = props;
  const name = letter.toUpperCase();
  const [typed, setTyped] = useState(query.metric);
  const found = useInfiniteQuery({
    ...catalogueQuery({ ...scope, q: typed === query.metric ? '' : typed }, NO_FILTER, MOST_METRICS),
    placeholderData: keepPreviousData,
  });
  const { data: known } = useQuery({
    ...labelsQuery(scope, query.metric),
    enabled: query.metric !== '',
  });
  const labels = known?.data ?? [];
  const trouble = query.filter === '' ? undefined : queryTrouble(query.filter, 'metrics');
  const metrics: Suggestion[] = (found.data?.pages[0]?.data ?? []).map((row) => ({
    value: row.name,
    hint: `${typeWords(row)}${row.unit === '' ? '' : ` · ${row.unit}`}`,
  }));
  const suggestFilter = (text: string, cursor: number): Suggestion[] => {
    const completion = completionAt(text, cursor);
    if (completion === undefined) return [];
    if (completion.kind === 'field') {
      const wanted = completion.prefix.toLowerCase();
      const keys = labels
        .filter(({ field }) => field.includes('.') && field.toLowerCase().includes(wanted))
        .map(({ field, valueCount }) => ({
          value: field,
          hint: `${valueCount} ${valueCount === 1 ? 'value' : 'values'}`,
        }));
      return [...suggestFields(FIELDS, 'metrics', completion.prefix), ...keys].slice(0, 50);
    }
    const of = labels.find(({ field }) => field === completion.field);
    return (of?.values ?? [])
      .filter(({ value }) => value !== '' && value.toLowerCase().includes(completion.prefix.toLowerCase()))
      .map(({ value, series }) => ({ value, hint: `${series} series` }));
  };
  const shown = answer?.variants.find(
    (one) =>
      one.type === answer.type &&
      one.unit === answer.unit &&
      one.monotonic === answer.monotonic &&
      one.temporality === answer.temporality,
  );
  const aggregation = query.aggregation ?? answer?.aggregation ?? undefined;
  return (
    <div role="group" aria-label={`Query ${name}`} className="flex flex-wrap items-center gap-2">
      <span
        aria-hidden
        className="flex size-7 items-center justify-center rounded-md bg-selected font-mono font-medium"
      >
        {name}
      </span>
      <SuggestInput
        label={`Metric of ${name}`}
        placeholder="Choose a metric"
        offeredOnly
        value={query.metric}
        className="w-80 max-sm:w-0 max-sm:grow"
        inputRef={props.metricInput}
        onType={setTyped}
        suggest={() => metrics}
        accept={(_text, _cursor, chosen) => ({ text: chosen.value, done: true })}
        // Another metric has other aggregations, units and labels.
        onSubmit={(metric) => {
          setTyped(metric);
          onChange({ metric, groupBy: [], filter: query.filter });
        }}
      />
      <ChoiceMenu
        label={`Aggregation of ${name}`}
        value={aggregation ?? ''}
        choices={(answer?.aggregations ?? (aggregation === undefined ? [] : [aggregation])).map((value) => ({
          value,
          label: value,
          hint: HINTS[value],
        }))}
        onChoose={(value) => {
          const chosen = answer?.aggregations.find((one) => one === value);
          if (chosen !== undefined) onChange({ ...query, aggregation: chosen });
        }}
        trigger={
          <Button aria-label={`Aggregation of ${name}: ${aggregation ?? '…'}`} disabled={query.metric === ''}>
            {aggregation ?? '…'}
          </Button>
        }
      />
      <LabelPicker
        name={name}
        labels={labels}
        chosen={query.groupBy}
        disabled={query.metric === ''}
        onChange={(groupBy) => onChange({ ...query, groupBy })}
      />
      <SuggestInput
        label={`Filter of ${name}`}
        placeholder="Filter: service:checkout attributes.http.route:/pay"
        value={query.filter}
        className="min-w-56 grow"
        trouble={trouble === undefined ? undefined : `${trouble.message} ${trouble.hint}`}
        suggest={suggestFilter}
        accept={(text, cursor, chosen) => {
          const completion = completionAt(text, cursor);
          if (completion === undefined) return { text, done: false };
          const insert = completion.kind === 'field' ? `${chosen.value}:` : `${quoted(chosen.value)} `;
          return {
            text: text.slice(0, completion.start) + insert + text.slice(completion.end),
            done: completion.kind === 'value',
          };
        }}
        onSubmit={(filter) => onChange({ ...query, filter })}
      />
      {answer !== undefined && answer.variants.length > 1 && (
        <ChoiceMenu
          label={`Shape of ${name}`}
          value={shown === undefined ? '' : shapeKey(shown)}
          choices={answer.variants.map((one) => ({
            value: shapeKey(one),
            label: `${typeWords(one)} in ${one.unit || 'no unit'}`,
            hint: `${one.series} series`,
          }))}
          onChoose={(value) => {
            const chosen = answer.variants.find((one) => shapeKey(one) === value);
            if (chosen === undefined) return;
            const { aggregation: _before, ...rest } = query;
            onChange({ ...rest, type: chosen.type, unit: chosen.unit, meaning: chosen.meaning });
          }}
          trigger={
            <Button aria-label={`Shape of ${name}: ${shapeWords(answer, shown)}`}>
              {shapeWords(answer, shown)}
            </Button>
          }
        />
      )}
      {props.onRemove && (
        <Button look="plain" className="px-1" aria-label={`Remove query ${name}`} onClick={props.onRemove}>
          <X size={14} aria-hidden />
        </Button>
      )}
      {trouble !== undefined && (
        <p role="alert" className="basis-full pl-9 text-sm text-danger">
          {trouble.message} {trouble.hint}
        </p>
      )}
    </div>
  );
}

type Shape = MetricAnswer['variants'][number];

const shapeKey = ({ type, unit, meaning }: Shape): string => JSON.stringify([type, unit, meaning]);

/** The unit of what is shown; where others have the same one, what sets it apart. */
function shapeWords({ variants, unit }: MetricAnswer, shown: Shape | undefined): string {
  const alike = variants.filter((one) => one.unit === unit);
  return shown !== undefined && alike.length > 1 ? typeWords(shown) : unit || 'no unit';
}

const HINTS: Readonly<Record<MetricAggregation, string>> = {
  rate: 'per second',
  increase: 'per bucket',
  avg: 'mean',
  min: 'smallest',
  max: 'largest',
  sum: 'added up',
  last: 'newest',
  count: 'how many',
  p50: 'median',
  p75: '75%',
  p90: '90%',
  p95: '95%',
  p99: '99%',
};
