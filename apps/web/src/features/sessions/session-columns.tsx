import type { SessionRow, TraceRow } from '@candela/contract';
import { Link } from '@tanstack/react-router';
import { createContext, Suspense, useContext } from 'react';
import { exact, formatCount } from '../../lib/format.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import {
  costCell,
  countCell,
  durationCell,
  modelsCell,
  Muted,
  NONE,
  TIME_WIDTH,
  TimeCell,
  tokensCell,
  STATUS_HEAD,
} from '../explore/cells.tsx';
import type { RowColumn } from '../explore/columns.ts';
import { SaidSnippet, useSaidHit } from '../explore/said.ts';

type Previews = ReadonlyMap<string, TraceRow['preview']>;

/** First words by session id; they come after the rows. */
export const PreviewContext = createContext<Previews>(new Map());

function Opening({ row, tabIndex }: { row: SessionRow; tabIndex: 0 | -1 }) {
  const preview = useContext(PreviewContext).get(row.sessionId);
  const hit = useSaidHit(row.sessionId);
  const said = preview?.input ?? '';
  const answered = preview?.output ?? '';
  return (
    <Link
      to="/sessions/$session"
      params={{ session: row.key }}
      search={hit === undefined ? {} : { find: hit.match, turn: hit.traceId }}
      tabIndex={tabIndex}
      title={[row.sessionId, said, answered].filter(Boolean).join('\n\n')}
      className="hover:underline"
    >
      {hit !== undefined ? (
        <Suspense>
          <SaidSnippet hit={hit} />
        </Suspense>
      ) : said === '' ? (
        <bdi className="font-mono text-sm">{row.sessionId}</bdi>
      ) : (
        <bdi>{said}</bdi>
      )}
      {hit === undefined && answered !== '' && (
        <span className="text-muted">
          {' '}
          ↳ <bdi>{answered}</bdi>
        </span>
      )}
    </Link>
  );
}

const usersCell = ({ users, userCount }: SessionRow) =>
  users.length === 0 ? (
    NONE
  ) : (
    <span
      title={`${users.join(', ')}${userCount > users.length ? ` and ${exact(userCount - users.length)} more` : ''}`}
      className="flex gap-1"
    >
      <MiddleTruncation name={users[0] ?? ''} title="" />
      {userCount > 1 && <Muted>+{formatCount(userCount - 1)}</Muted>}
    </span>
  );

export const errorsCell = (count: number) => (
  <span title={exact(count)} className={count > 0 ? 'text-danger' : 'text-muted'}>
    {formatCount(count)}
  </span>
);

/** Columns of the sessions, in order. */
export const SESSION_COLUMNS: readonly RowColumn<SessionRow>[] = [
  {
    id: 'status',
    label: '',
    head: STATUS_HEAD,
    width: 36,
    shown: true,
    cell: (row) => (
      <span className="flex">
        <StatusIcon status={row.errors > 0 ? 'partly' : 'ok'} />
      </span>
    ),
  },
  {
    id: 'last',
    label: 'Last active',
    width: TIME_WIDTH,
    sort: 'last',
    shown: true,
    cell: (row) => <TimeCell iso={row.lastSeen} />,
  },
  {
    id: 'conversation',
    label: 'Conversation',
    width: 220,
    grow: 3,
    shown: true,
    record: 'lead',
    cell: (row, tabIndex) => <Opening row={row} tabIndex={tabIndex} />,
  },
  {
    id: 'session',
    label: 'Session',
    width: 140,
    shown: false,
    cell: (row) => (
      <code className="font-mono text-sm" title={row.sessionId}>
        {row.sessionId}
      </code>
    ),
  },
  { id: 'user', label: 'User', width: 104, grow: 0.4, shown: true, cell: (row) => usersCell(row) },
  {
    id: 'traces',
    label: 'Turns',
    width: 60,
    align: 'end',
    sort: 'traces',
    shown: true,
    cell: (row) => countCell(row.traces),
  },
  {
    id: 'duration',
    label: 'Duration',
    width: 80,
    align: 'end',
    sort: 'duration',
    shown: true,
    cell: (row) => durationCell(row.durationMs),
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
    id: 'agents',
    label: 'Agents',
    width: 120,
    grow: 0.4,
    shown: false,
    cell: (row) => modelsCell(row.agents),
  },
  { id: 'tokens', label: 'Tokens', width: 112, align: 'end', sort: 'tokens', shown: true, cell: tokensCell },
  {
    id: 'cost',
    label: 'Cost',
    width: 80,
    align: 'end',
    sort: 'cost',
    shown: true,
    cell: (row) => costCell(row.costUsd),
  },
  {
    id: 'errors',
    label: 'Errors',
    width: 64,
    align: 'end',
    sort: 'errors',
    shown: true,
    cell: (row) => errorsCell(row.errors),
  },
  {
    id: 'first',
    label: 'Began',
    width: TIME_WIDTH,
    sort: 'first',
    shown: false,
    cell: (row) => <TimeCell iso={row.firstSeen} />,
  },
  { id: 'spans', label: 'Spans', width: 60, align: 'end', shown: false, cell: (row) => countCell(row.spans) },
];
