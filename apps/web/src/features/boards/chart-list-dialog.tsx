import type { Panel, PanelType } from '@candela/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useDeferredValue, useEffect, useEffectEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { Modal } from '../../ui/modal.tsx';
import { alertOnThis, canAlert } from '../alerts/alerts-search.ts';
import { FieldName } from '../panels/field-name.tsx';
import { MetricFields } from '../panels/panel-fields.tsx';
import { PanelPreview } from '../panels/panel-preview.tsx';
import { panelFrameQuery } from '../panels/panel-query.ts';
import {
  drawnAs,
  fitted,
  isTimed,
  measuresOf,
  PANEL_TYPES,
  SCORE_GROUPS,
  SCORE_MEASURES,
  TIMED_SCORE_GROUPS,
} from '../panels/panel-start.ts';
import { measureWords } from '../panels/prepare-frame.ts';
import type { Charted } from './chart-list-button.tsx';
import { panelOfText, panelText } from './board-search.ts';
import { chartThis } from './chart-this.ts';
import { SaveChart } from './save-chart.tsx';

const TYPES = PANEL_TYPES.filter(({ value }) => value !== 'heatmap' && value !== 'markdown');
const LINK = 'inline-flex h-8 items-center rounded-md border border-line px-3 hover:border-accent';

/** Builds a chart of a list, with a live preview; the address and saved views of the list's page may have it. */
export default function ChartList(
  props: Charted & {
    /** The chart of the address. */
    shown: string | undefined;
    onShown: ((text: string) => void) | undefined;
    onClose: () => void;
  },
) {
  const { title, start, scope, onClose } = props;
  const [panel, setPanel] = useState<Panel>(
    () =>
      chartOf(props.shown) ?? {
        query: queryOf(start, scope.q),
        visual: { type: 'line', legend: true },
      },
  );
  const { query, visual } = panel;
  const asked = useDeferredValue(panel);
  // What is searched for is in the query already.
  const state = useQuery({
    ...panelFrameQuery(asked, { ...scope, q: '' }),
    placeholderData: keepPreviousData,
  });
  const name = nameOf(title, query);
  const text = panelText(nameOf(title, asked.query), asked);
  const tell = useEffectEvent((next: string) => props.onShown?.(next));
  useEffect(() => tell(text), [text]);
  const timed = isTimed(query);
  const put = (next: Panel['query']) => setPanel({ ...panel, query: next });
  const overTime = (on: boolean) => {
    const type: PanelType = on ? (visual.type === 'bar' ? 'bar' : 'line') : 'bar';
    setPanel({ query: fitted(query, type, on), visual: { ...visual, type } });
  };
  return (
    <Modal label={`Chart of the ${title}`} onClose={onClose} className="w-[min(720px,94vw)]">
      <div className="flex max-h-[86vh] flex-col gap-3 overflow-y-auto p-4">
        <div className="flex items-center">
          <h2 className="text-lg font-semibold">{name}</h2>
          <Button look="plain" className="ml-auto" aria-label="Close" onClick={onClose}>
            <X size={14} aria-hidden />
          </Button>
        </div>
        <PanelPreview title={name} panel={asked} window={scope.window} state={state} />
        <div className="grid gap-3 sm:grid-cols-3">
          {query.kind === 'aggregate' && <RowChoices query={query} scope={scope} onQuery={put} />}
          {query.kind === 'metric' && <MetricFields query={query} scope={scope} onQuery={put} />}
          {query.kind === 'scores' && <ScoreChoices query={query} onQuery={put} />}
          {(query.kind === 'aggregate' || query.kind === 'scores') && (
            <TopField
              value={query.body.limit}
              onValue={(limit) => put({ ...query, body: { ...query.body, limit } } as Panel['query'])}
            />
          )}
          <SelectField
            label="Drawn as"
            value={visual.type}
            onValue={(type) => setPanel(drawnAs(panel, type as PanelType))}
            options={TYPES}
          />
          {query.kind !== 'metric' && (
            <div className="flex items-end">
              <CheckField label="Over time" checked={timed} onChange={overTime} />
            </div>
          )}
        </div>
        <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line pt-3">
          {props.page !== undefined && <SaveChart page={props.page} panel={text} title={name} />}
          {canAlert(panel) && (
            <Link {...alertOnThis(name, panel)} onClick={onClose} className={LINK}>
              Alert on this
            </Link>
          )}
          <Link {...chartThis(name, panel)} onClick={onClose} className={LINK}>
            Put on a dashboard
          </Link>
        </footer>
      </div>
    </Modal>
  );
}

/** How many groups are drawn; while it is typed it may be empty. */
function TopField(props: { value: number; onValue: (limit: number) => void }) {
  const [text, setText] = useState(String(props.value));
  return (
    <TextField
      label="Top"
      type="number"
      min={1}
      max={50}
      value={text}
      onValue={(next) => {
        setText(next);
        const limit = Math.round(Number(next));
        if (limit >= 1 && limit <= 50) props.onValue(limit);
      }}
      error={Number(text) >= 1 && Number(text) <= 50 ? undefined : 'From 1 to 50.'}
    />
  );
}

type Of<Kind extends Panel['query']['kind']> = Extract<Panel['query'], { kind: Kind }>;

function RowChoices(props: {
  query: Of<'aggregate'>;
  scope: Charted['scope'];
  onQuery: (query: Panel['query']) => void;
}) {
  const { body } = props.query;
  const [first = '', second = ''] = body.groupBy;
  const set = (next: Partial<typeof body>) =>
    props.onQuery({ kind: 'aggregate', body: { ...body, ...next } });
  const groups = (...fields: readonly string[]) => set({ groupBy: fields.filter((field) => field !== '') });
  const fields = { signal: body.signal, scope: { ...props.scope, q: '' } };
  return (
    <>
      <SelectField
        label="Measure"
        value={body.measures[0] ?? 'count'}
        onValue={(one) => set({ measures: measuresOf(body.signal).filter((each) => each === one) })}
        options={measuresOf(body.signal).map((value) => ({ value, label: measureWords(value) }))}
      />
      <FieldName {...fields} label="Group by" value={first} onValue={(field) => groups(field, second)} />
      <FieldName {...fields} label="Split by" value={second} onValue={(field) => groups(first, field)} />
    </>
  );
}

function ScoreChoices(props: { query: Of<'scores'>; onQuery: (query: Panel['query']) => void }) {
  const { body } = props.query;
  const set = (next: Partial<typeof body>) => props.onQuery({ kind: 'scores', body: { ...body, ...next } });
  const groups = body.overTime ? TIMED_SCORE_GROUPS : SCORE_GROUPS;
  return (
    <>
      <SelectField
        label="Measure"
        value={body.measures[0] ?? 'pass_rate'}
        onValue={(one) => set({ measures: SCORE_MEASURES.filter((each) => each === one) })}
        options={SCORE_MEASURES.map((value) => ({ value, label: measureWords(value) }))}
      />
      <SelectField
        label="Group by"
        value={body.groupBy[0] ?? ''}
        onValue={(by) =>
          set({ groupBy: groups.filter(({ value }) => value === by).map(({ value }) => value) })
        }
        options={[{ value: '', label: 'All together' }, ...groups]}
      />
    </>
  );
}

/** The chart that an address has; undefined: none that could be drawn here. */
function chartOf(text: string | undefined): Panel | undefined {
  const panel = panelOfText(text)?.panel;
  const query = panel?.query;
  if (query?.kind !== 'aggregate' && query?.kind !== 'scores' && query?.kind !== 'metric') return undefined;
  const { groupBy, measures = [] } = query.body as { groupBy?: unknown; measures?: unknown };
  return Array.isArray(groupBy) && Array.isArray(measures) ? panel : undefined;
}

/** Rows as they are counted at first, over time; what is searched for is part of the chart. */
function queryOf(start: Charted['start'], q: string): Panel['query'] {
  if ('kind' in start) return start;
  const [signal, measure] = start;
  return {
    kind: 'aggregate',
    body: {
      signal,
      ...(q.trim() === '' ? {} : { q }),
      groupBy: [],
      measures: [measure],
      bucketSeconds: 'auto',
      limit: 8,
      comparePrevious: false,
    },
  };
}

/** What a chart shows: `duration p95 by model, service`. */
function nameOf(title: string, query: Panel['query']): string {
  if (query.kind !== 'aggregate' && query.kind !== 'scores') return title;
  const { measures, groupBy } = query.body;
  const measure = measureWords(measures[0] ?? '');
  const words =
    measure === 'count' || measure === title
      ? title
      : query.kind === 'scores'
        ? `${measure} of scores`
        : measure;
  const named = groupBy.length === 0 ? words : `${words} by ${groupBy.join(', ')}`;
  return named.slice(0, 1).toUpperCase() + named.slice(1);
}
