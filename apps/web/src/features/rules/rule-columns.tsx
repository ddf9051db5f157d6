import type { Rule } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import { rulePreviewQuery } from '../../api/rules.ts';
import { DASH, exact, formatCount } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import type { GridColumn } from '../../ui/data-grid.tsx';
import { Muted, textCell, TIME_WIDTH, TimeCell } from '../explore/cells.tsx';
import { useShell } from '../shell/shell-search.ts';
import { ruleWords } from './rule-words.ts';

/** Spans of the time range that the rule matches; of a sample it is worked out, and says so. */
function Matched({ rule }: { rule: Rule }) {
  const { environment, window } = useShell();
  const asks = rule.problem === null && rule.groups.length > 0;
  const query = useQuery({
    ...rulePreviewQuery(environment, window, { groupOperator: rule.groupOperator, groups: rule.groups }, 0),
    enabled: asks,
  });
  if (!asks || query.data === undefined) {
    return <Muted>{query.isFetching ? '…' : DASH}</Muted>;
  }
  const { matched, seen, total, sampled } = query.data;
  const all = sampled && seen > 0 ? Math.round((matched / seen) * total) : matched;
  return (
    <span
      title={
        sampled
          ? `${exact(matched)} of a sample of ${exact(seen)}; there are ${exact(total)} spans`
          : `${exact(matched)} of ${exact(total)} spans of the time range`
      }
    >
      {sampled && '≈ '}
      {formatCount(all)}
    </span>
  );
}

export const RULE_COLUMNS: readonly GridColumn<Rule>[] = [
  {
    id: 'name',
    label: 'Rule',
    width: 160,
    grow: 1,
    record: 'lead',
    cell: (row, tabIndex) => (
      <span className="flex min-w-0 items-center gap-1">
        <Link
          to="/rules/$rule"
          params={{ rule: row.id }}
          tabIndex={tabIndex}
          className="min-w-0 font-medium hover:underline"
        >
          <MiddleTruncation name={row.name} />
        </Link>
        {row.problem !== null && (
          <span title={row.problem} className="text-danger">
            <TriangleAlert size={13} aria-label={`Cannot be used: ${row.problem}`} />
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'status',
    label: 'Status',
    width: 84,
    cell: (row) => (row.status === 'ACTIVE' ? <Badge tone="ok">active</Badge> : <Badge>inactive</Badge>),
  },
  { id: 'priority', label: 'Priority', width: 70, align: 'end', cell: (row) => row.priority },
  {
    id: 'conditions',
    label: 'Conditions',
    width: 220,
    grow: 2,
    record: 'text',
    cell: (row) =>
      row.groups.length === 0 ? (
        <Muted>none: matches nothing</Muted>
      ) : (
        <span className="font-mono text-sm text-muted" title={ruleWords(row)}>
          {ruleWords(row)}
        </span>
      ),
  },
  {
    id: 'links',
    label: 'Returns',
    width: 140,
    grow: 0.8,
    cell: (row) => textCell(row.links.map((link) => link.name ?? link.entityId).join(', ')),
  },
  { id: 'matched', label: 'Matched', width: 78, align: 'end', cell: (row) => <Matched rule={row} /> },
  { id: 'by', label: 'By', width: 110, grow: 0.4, cell: (row) => textCell(row.updatedBy) },
  { id: 'updated', label: 'Changed', width: TIME_WIDTH, cell: (row) => <TimeCell iso={row.updatedAt} /> },
];
