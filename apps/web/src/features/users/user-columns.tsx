import type { UserRow } from '@candela/contract';
import { Link } from '@tanstack/react-router';
import { costCell, countCell, modelsCell, TIME_WIDTH, TimeCell, tokensCell } from '../explore/cells.tsx';
import type { RowColumn } from '../explore/columns.ts';
import { errorsCell } from '../sessions/session-columns.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';

/** Columns of the users, in order. */
export const USER_COLUMNS: readonly RowColumn<UserRow>[] = [
  {
    id: 'user',
    label: 'User',
    width: 140,
    grow: 2,
    shown: true,
    record: 'lead',
    cell: (row, tabIndex) => (
      <Link
        to="/users/$user"
        params={{ user: row.key }}
        tabIndex={tabIndex}
        className="font-medium hover:underline"
      >
        <MiddleTruncation name={row.userId} />
      </Link>
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
    id: 'first',
    label: 'First seen',
    width: TIME_WIDTH,
    sort: 'first',
    shown: true,
    cell: (row) => <TimeCell iso={row.firstSeen} />,
  },
  {
    id: 'sessions',
    label: 'Sessions',
    width: 76,
    align: 'end',
    sort: 'sessions',
    shown: true,
    cell: (row) => countCell(row.sessions),
  },
  {
    id: 'traces',
    label: 'Traces',
    width: 68,
    align: 'end',
    sort: 'traces',
    shown: true,
    cell: (row) => countCell(row.traces),
  },
  {
    id: 'calls',
    label: 'Calls',
    width: 64,
    align: 'end',
    shown: true,
    cell: (row) => countCell(row.modelCalls),
  },
  {
    id: 'models',
    label: 'Models',
    width: 116,
    grow: 1,
    shown: true,
    cell: (row) => modelsCell(row.models),
  },
  {
    id: 'agents',
    label: 'Agents',
    width: 140,
    grow: 1,
    shown: false,
    cell: (row) => modelsCell(row.agents),
  },
  { id: 'tokens', label: 'Tokens', width: 112, align: 'end', sort: 'tokens', shown: true, cell: tokensCell },
  {
    id: 'cost',
    label: 'Cost',
    width: 84,
    align: 'end',
    sort: 'cost',
    shown: true,
    cell: (row) => costCell(row.costUsd),
  },
  {
    id: 'errors',
    label: 'Errors',
    width: 68,
    align: 'end',
    sort: 'errors',
    shown: true,
    cell: (row) => errorsCell(row.errors),
  },
];
