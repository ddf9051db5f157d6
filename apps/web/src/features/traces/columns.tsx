import { keyField, MAX_ROW_FIELDS } from '@candela/contract/filter';
import type { TraceRow } from '@candela/contract';
import { Link } from '@tanstack/react-router';
import { createContext, Suspense, useContext } from 'react';
import type { SpanLine } from '../../api/telemetry.ts';
import { namedError } from '../../lib/failure-words.ts';
import { exact, formatCount } from '../../lib/format.ts';
import { readingKind } from '../../lib/span-kind.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { SpanGlyph } from '../../ui/span-glyph.tsx';
import { outcomeOf, StatusIcon } from '../../ui/status.tsx';
import {
  costCell,
  durationCell,
  modelsCell,
  NONE,
  spanDurationCell,
  textCell,
  TIME_WIDTH,
  TimeCell,
  tokensCell,
  STATUS_HEAD,
} from '../explore/cells.tsx';
import { readColumns, type RowColumn } from '../explore/columns.ts';
import { SaidSnippet, useSaidHit } from '../explore/said.ts';

interface FirstWords {
  /** By trace id. */
  readonly words: ReadonlyMap<string, TraceRow['preview']>;
  /** Trace ids whose words are on their way: they come after the rows. */
  readonly awaited: ReadonlySet<string>;
}

export const TracePreviews = createContext<FirstWords>({ words: new Map(), awaited: new Set() });

function Preview({ traceId }: { traceId: string }) {
  const { words, awaited } = useContext(TracePreviews);
  const preview = words.get(traceId);
  const hit = useSaidHit(traceId);
  const said = preview?.input ?? '';
  const answered = preview?.output ?? '';
  if (hit !== undefined)
    return (
      <Suspense>
        <SaidSnippet hit={hit} />
      </Suspense>
    );
  // A dash says that there are none.
  if (preview === undefined && awaited.has(traceId))
    return <span aria-hidden className="skeleton inline-block h-3 w-24" />;
  if (said === '' && answered === '') return NONE;
  return (
    <span className="text-muted" title={[said, answered].filter(Boolean).join('\n\n')}>
      {said}
      {answered !== '' && <span className="text-text"> ↳ {answered}</span>}
    </span>
  );
}

/** Columns of the trace rows, in order; `shown` are those of a first visit. */
export const TRACE_COLUMNS: readonly RowColumn<TraceRow>[] = [
  {
    id: 'status',
    label: '',
    head: STATUS_HEAD,
    width: 36,
    shown: true,
    cell: (row) => (
      <span className="flex">
        <StatusIcon status={outcomeOf(row)} />
      </span>
    ),
  },
  {
    id: 'start',
    label: 'Start',
    width: TIME_WIDTH,
    sort: 'start',
    shown: true,
    cell: (row) => <TimeCell iso={row.startTime} />,
  },
  {
    id: 'name',
    label: 'Name',
    width: 166,
    grow: 1,
    shown: true,
    record: 'lead',
    cell: (row, tabIndex) => (
      <Link
        to="/traces/$traceId"
        params={{ traceId: row.traceId }}
        tabIndex={tabIndex}
        className="font-medium hover:underline"
      >
        <MiddleTruncation name={row.rootName || row.traceId} />
      </Link>
    ),
  },
  {
    id: 'service',
    label: 'Service',
    width: 104,
    grow: 0.5,
    shown: true,
    cell: (row) => textCell(row.rootService),
  },
  {
    id: 'duration',
    label: 'Duration',
    width: 76,
    align: 'end',
    sort: 'duration',
    shown: true,
    cell: spanDurationCell,
  },
  {
    id: 'spans',
    label: 'Spans',
    width: 72,
    align: 'end',
    sort: 'spanCount',
    shown: true,
    cell: (row) => (
      <span title={`${exact(row.spanCount)} spans, ${exact(row.errorCount)} failed`}>
        {formatCount(row.spanCount)}
        {row.errorCount > 0 && <span className="text-danger"> /{formatCount(row.errorCount)}</span>}
      </span>
    ),
  },
  {
    id: 'models',
    label: 'Models',
    width: 132,
    grow: 0.6,
    shown: true,
    cell: (row) => modelsCell(row.models),
  },
  {
    id: 'tokens',
    label: 'Tokens',
    width: 112,
    align: 'end',
    sort: 'tokens',
    shown: true,
    cell: tokensCell,
  },
  {
    id: 'cost',
    label: 'Cost',
    width: 86,
    align: 'end',
    sort: 'cost',
    shown: true,
    cell: (row) => costCell(row.costUsd),
  },
  {
    id: 'preview',
    label: 'Conversation',
    width: 124,
    grow: 2,
    shown: true,
    record: 'text',
    cell: (row) => <Preview traceId={row.traceId} />,
  },
  { id: 'session', label: 'Session', width: 120, shown: false, cell: (row) => textCell(row.sessionId) },
  { id: 'user', label: 'User', width: 90, shown: false, cell: (row) => textCell(row.userId) },
  {
    id: 'environment',
    label: 'Environment',
    width: 104,
    shown: false,
    cell: (row) => textCell(row.environment),
  },
  {
    id: 'traceId',
    label: 'Trace id',
    width: 260,
    shown: false,
    cell: (row) => <code className="font-mono text-sm">{row.traceId}</code>,
  },
];

function Said({ id }: { id: string }) {
  const hit = useSaidHit(id);
  return hit === undefined ? (
    NONE
  ) : (
    <Suspense>
      <SaidSnippet hit={hit} />
    </Suspense>
  );
}

/** Whether a search names texts of messages: its spans have a column for what was said. */
export const seeksSaid = (q: string): boolean =>
  /\b(user_said|assistant_said|system_prompt|tool_result|prompt|completion):/i.test(q);

/** What was said that the search found. */
const SAID_COLUMN: RowColumn<SpanLine> = {
  id: 'said',
  label: 'Said',
  width: 160,
  grow: 2,
  shown: true,
  record: 'text',
  cell: (row) => <Said id={`${row.traceId}-${row.spanId}`} />,
};

/** Attributes that the URL asks to see as columns: a part of the request, as many as it may have. */
export function fieldColumns(cols: string | undefined): string[] {
  const fields = cols === undefined ? [] : readColumns(cols).filter((id) => keyField(id) !== undefined);
  return [...new Set(fields)].slice(0, MAX_ROW_FIELDS);
}

/** The columns of the span rows with one for each of the attributes asked for. */
export const spanColumns = (fields: readonly string[], said = false): readonly RowColumn<SpanLine>[] => [
  ...SPAN_COLUMNS,
  ...(said ? [SAID_COLUMN] : []),
  ...fields.map(
    (field): RowColumn<SpanLine> => ({
      id: field,
      label: field.replace(/^attributes\./, ''),
      width: 140,
      grow: 0.8,
      shown: false,
      // Not known yet: of a row of the live stream, of one that was asked for with other columns.
      cell: ({ values }) => (values?.has(field) === true ? textCell(values.get(field) ?? null) : ''),
    }),
  ),
];

/** Columns of the span rows. */
const SPAN_COLUMNS: readonly RowColumn<SpanLine>[] = [
  {
    id: 'status',
    label: '',
    head: STATUS_HEAD,
    width: 36,
    shown: true,
    cell: (row) => (
      <span className="flex">
        <StatusIcon status={outcomeOf(row)} />
      </span>
    ),
  },
  {
    id: 'start',
    label: 'Start',
    width: TIME_WIDTH,
    sort: 'start',
    shown: true,
    cell: (row) => <TimeCell iso={row.startTime} />,
  },
  {
    id: 'name',
    label: 'Name',
    width: 160,
    grow: 1.6,
    shown: true,
    record: 'lead',
    cell: (row, tabIndex) => (
      <span className="flex items-center gap-1.5">
        <SpanGlyph kind={readingKind(row)} />
        <Link
          tabIndex={tabIndex}
          to="/traces/$traceId"
          params={{ traceId: row.traceId }}
          search={{ span: row.spanId }}
          className="min-w-0 font-medium hover:underline"
        >
          <MiddleTruncation name={row.name || row.spanId} />
        </Link>
      </span>
    ),
  },
  {
    id: 'service',
    label: 'Service',
    width: 104,
    grow: 0.8,
    shown: true,
    cell: (row) => textCell(row.service),
  },
  {
    id: 'duration',
    label: 'Duration',
    width: 76,
    align: 'end',
    sort: 'duration',
    shown: true,
    cell: spanDurationCell,
  },
  {
    id: 'ttft',
    label: 'First token',
    width: 78,
    align: 'end',
    shown: false,
    cell: (row) => durationCell(row.timeToFirstTokenMs),
  },
  { id: 'operation', label: 'Operation', width: 98, shown: true, cell: (row) => textCell(row.operation) },
  {
    id: 'model',
    label: 'Model',
    width: 132,
    grow: 1,
    shown: true,
    cell: (row) => modelsCell(row.model === null ? [] : [row.model]),
  },
  { id: 'agent', label: 'Agent', width: 116, shown: false, cell: (row) => textCell(row.agent) },
  { id: 'tool', label: 'Tool', width: 116, shown: false, cell: (row) => textCell(row.tool) },
  {
    id: 'tokens',
    label: 'Tokens',
    width: 112,
    align: 'end',
    sort: 'tokens',
    shown: true,
    cell: tokensCell,
  },
  {
    id: 'cost',
    label: 'Cost',
    width: 86,
    align: 'end',
    sort: 'cost',
    shown: true,
    cell: (row) => costCell(row.costUsd),
  },
  {
    id: 'error',
    label: 'Error',
    width: 112,
    grow: 1.2,
    shown: true,
    cell: (row) => textCell(namedError(row) ?? row.statusMessage ?? row.errorType),
  },
  { id: 'user', label: 'User', width: 90, shown: false, cell: (row) => textCell(row.userId) },
  { id: 'session', label: 'Session', width: 120, shown: false, cell: (row) => textCell(row.sessionId) },
  {
    id: 'environment',
    label: 'Environment',
    width: 104,
    shown: false,
    cell: (row) => textCell(row.environment),
  },
];
