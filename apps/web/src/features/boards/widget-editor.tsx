import type { Panel, PanelType, Widget } from '@candela/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { type BoardAround, panelPreviewQuery } from '../../api/boards.ts';
import type { TimeWindow } from '../../lib/time-range.ts';
import { ErrorLine } from '../../ui/error-line.tsx';
import { CheckField, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { PanelView } from '../panels/panel-view.tsx';
import { measureWords } from '../panels/prepare-frame.ts';

type Query = Panel['query'];
type Aggregate = Extract<Query, { kind: 'aggregate' }>;
type Metric = Extract<Query, { kind: 'metric' }>;
type Measure = Aggregate['body']['measures'][number];

const TYPES: readonly { value: PanelType; label: string }[] = [
  { value: 'stat', label: 'Stat' },
  { value: 'line', label: 'Line' },
  { value: 'area', label: 'Area' },
  { value: 'bar', label: 'Bar' },
  { value: 'pie', label: 'Pie' },
  { value: 'table', label: 'Table' },
  { value: 'heatmap', label: 'Heat map' },
  { value: 'markdown', label: 'Text' },
];
const SOURCES = [
  { value: 'aggregate', label: 'Spans or logs' },
  { value: 'metric', label: 'Metric' },
  { value: 'durations', label: 'Durations of spans' },
  { value: 'markdown', label: 'Text' },
];
const MEASURES: readonly Measure[] = [
  'count',
  'errors',
  'error_rate',
  'traces',
  'sessions',
  'users',
  'duration_avg',
  'duration_p50',
  'duration_p90',
  'duration_p95',
  'duration_p99',
  'ttft_p50',
  'ttft_p95',
  'model_calls',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'cost',
];
/** Log records have no durations, tokens or cost. */
const OF_LOGS = new Set<Measure>(['count', 'errors', 'error_rate', 'traces', 'sessions', 'users']);
const HOW = ['avg', 'sum', 'min', 'max', 'last', 'rate', 'increase', 'count', 'p50', 'p90', 'p95', 'p99'];
const OVER_TIME = new Set<PanelType>(['line', 'area']);
const PREVIEW = 220;

const splitOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .slice(0, 3);

/** What a source begins with. */
function startOf(kind: string): Query {
  if (kind === 'metric') return { kind, body: { metric: 'hw.gpu.utilization', groupBy: [], limit: 10 } };
  if (kind === 'durations') return { kind, body: { q: '' } };
  if (kind === 'markdown') return { kind, text: '' };
  return {
    kind: 'aggregate',
    body: {
      signal: 'spans',
      groupBy: [],
      measures: ['count'],
      bucketSeconds: 'auto',
      limit: 8,
      comparePrevious: false,
    },
  };
}

/** A drawing over time needs buckets; the others need none. */
function fitted(query: Query, type: PanelType, timed: boolean): Query {
  if (query.kind !== 'aggregate') return query;
  const { bucketSeconds: _before, ...body } = query.body;
  const isTimed = OVER_TIME.has(type) || (type === 'bar' && timed);
  return { kind: 'aggregate', body: isTimed ? { ...body, bucketSeconds: 'auto' } : body };
}

/** Builds a widget: what it asks, how it is drawn, with a live preview. */
export function WidgetEditor(props: {
  widget: Widget;
  isNew: boolean;
  around: BoardAround;
  window: TimeWindow;
  onDone: (widget: Widget) => void;
  onClose: () => void;
}) {
  const [widget, setWidget] = useState(props.widget);
  const { query, visual } = widget;
  const [groups, setGroups] = useState(
    query.kind === 'aggregate' || query.kind === 'metric' ? query.body.groupBy.join(', ') : '',
  );
  const set = (next: Partial<Widget>) => setWidget((before) => ({ ...before, ...next }));
  const draw = (next: Partial<Panel['visual']>) => set({ visual: { ...visual, ...next } });
  const timed = query.kind === 'aggregate' && query.body.bucketSeconds !== undefined;
  const choose = (type: PanelType) => {
    const next = type === 'markdown' ? 'markdown' : query.kind === 'markdown' ? 'aggregate' : query.kind;
    const asked = type === 'heatmap' && next === 'aggregate' ? 'durations' : next;
    const base = asked === query.kind ? query : startOf(asked);
    set({ query: fitted(base, type, timed), visual: { ...visual, type } });
  };
  const source = (kind: string) => {
    const type: PanelType =
      kind === 'markdown'
        ? 'markdown'
        : kind === 'durations'
          ? 'heatmap'
          : visual.type === 'markdown' || visual.type === 'heatmap'
            ? 'line'
            : visual.type;
    setGroups('');
    set({ query: fitted(startOf(kind), type, timed), visual: { ...visual, type } });
  };
  const text =
    query.kind === 'aggregate' || query.kind === 'metric' || query.kind === 'durations' ? query.body.q : '';
  const setBody = (next: object) =>
    set({ query: { ...query, body: { ...('body' in query ? query.body : {}), ...next } } as Query });
  const [threshold] = visual.thresholds ?? [];
  return (
    <FormDialog
      title={props.isNew ? 'Add a widget' : 'Edit the widget'}
      action={props.isNew ? 'Add' : 'Apply'}
      busy={false}
      error={undefined}
      ready={widget.title.trim() !== ''}
      wide
      onSubmit={() => props.onDone({ ...widget, title: widget.title.trim() })}
      onClose={props.onClose}
    >
      <Preview title={widget.title} panel={{ query, visual }} around={props.around} window={props.window} />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField label="Title" value={widget.title} onValue={(title) => set({ title })} maxLength={120} />
        <SelectField
          label="Drawn as"
          value={visual.type}
          onValue={(type) => choose(type as PanelType)}
          options={TYPES}
        />
        <SelectField label="Source" value={query.kind} onValue={source} options={SOURCES} />
        {query.kind === 'aggregate' && (
          <SelectField
            label="Signal"
            value={query.body.signal}
            onValue={(signal) =>
              setBody({
                signal,
                measures: query.body.measures.filter((one) => signal === 'spans' || OF_LOGS.has(one)),
              })
            }
            options={[
              { value: 'spans', label: 'Spans' },
              { value: 'logs', label: 'Log records' },
            ]}
          />
        )}
        {query.kind === 'metric' && <MetricFields query={query} onChange={setBody} />}
        {query.kind !== 'markdown' && (
          <TextField
            label="Filter"
            hint="As in the search box: service:checkout status:error"
            value={text ?? ''}
            onValue={(q) => setBody({ q })}
          />
        )}
        {(query.kind === 'aggregate' || query.kind === 'metric') && (
          <TextField
            label="Group by"
            hint="Fields, separated by commas: model, attributes.key"
            value={groups}
            onValue={(next) => {
              setGroups(next);
              setBody({ groupBy: splitOf(next) });
            }}
          />
        )}
      </div>
      {query.kind === 'aggregate' && (
        <fieldset className="rounded-md border border-line p-2">
          <legend className="px-1 text-sm text-muted">Measures</legend>
          <div className="grid gap-1 sm:grid-cols-3">
            {MEASURES.filter((one) => query.body.signal === 'spans' || OF_LOGS.has(one)).map((one) => (
              <CheckField
                key={one}
                label={measureWords(one)}
                checked={query.body.measures.includes(one)}
                onChange={(on) => {
                  const measures = on
                    ? [...query.body.measures, one]
                    : query.body.measures.filter((each) => each !== one);
                  if (measures.length > 0) setBody({ measures });
                }}
              />
            ))}
          </div>
        </fieldset>
      )}
      {query.kind === 'markdown' && (
        <TextArea
          label="Text"
          hint="Markdown"
          value={query.text}
          onValue={(next) => set({ query: { kind: 'markdown', text: next } })}
          rows={8}
        />
      )}
      {query.kind !== 'markdown' && (
        <div className="grid gap-3 sm:grid-cols-3">
          <TextField
            label="Unit"
            hint="ms, By, USD; empty: of the data"
            value={visual.unit ?? ''}
            onValue={(unit) => {
              const { unit: _before, ...rest } = visual;
              set({ visual: unit === '' ? rest : { ...rest, unit } });
            }}
          />
          <TextField
            label="Warn above"
            type="number"
            value={threshold === undefined ? '' : String(threshold.value)}
            onValue={(value) =>
              draw({
                thresholds:
                  value === '' || !Number.isFinite(Number(value))
                    ? []
                    : [{ value: Number(value), when: 'above', tone: 'warn' }],
              })
            }
          />
          <div className="flex flex-col justify-end gap-1">
            <CheckField
              label="Compare with the period before"
              checked={visual.compare === true}
              onChange={(compare) => draw({ compare })}
            />
            <CheckField
              label="Legend"
              checked={visual.legend === true}
              onChange={(legend) => draw({ legend })}
            />
            {visual.type === 'bar' && query.kind === 'aggregate' && (
              <CheckField
                label="Over time"
                checked={timed}
                onChange={(on) => set({ query: fitted(query, 'bar', on) })}
              />
            )}
          </div>
        </div>
      )}
    </FormDialog>
  );
}

function MetricFields({ query, onChange }: { query: Metric; onChange: (next: object) => void }) {
  return (
    <>
      <TextField label="Metric" value={query.body.metric} onValue={(metric) => onChange({ metric })} />
      <SelectField
        label="Aggregation"
        value={query.body.aggregation ?? ''}
        onValue={(how) => onChange({ aggregation: how === '' ? undefined : how })}
        options={[
          { value: '', label: 'What suits the metric' },
          ...HOW.map((how) => ({ value: how, label: how })),
        ]}
      />
    </>
  );
}

function Preview(props: { title: string; panel: Panel; around: BoardAround; window: TimeWindow }) {
  // Typing asks for what stands still.
  const panel = useDeferredValue(props.panel);
  const { data, error, isFetching } = useQuery({
    ...panelPreviewQuery(panel, props.around),
    placeholderData: keepPreviousData,
  });
  return (
    <section
      aria-label="Preview"
      className="overflow-hidden rounded-md border border-line bg-bg p-2"
      style={{ minHeight: PREVIEW }}
    >
      {error ? (
        <ErrorLine error={error} />
      ) : data === undefined ? (
        <div role="status" aria-label="Loading the preview" className="skeleton h-48 w-full" />
      ) : data.rows.length === 0 && panel.visual.type !== 'stat' ? (
        <p className="flex h-48 items-center justify-center text-muted">Nothing in this time range.</p>
      ) : (
        <PanelView
          title={props.title}
          panel={panel}
          frame={data}
          window={props.window}
          height={PREVIEW - 20}
          pending={isFetching}
        />
      )}
    </section>
  );
}
