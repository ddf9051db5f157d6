import type { CodingFigures } from '@candela/contract';
import { exact, formatCost, formatCount } from '../../lib/format.ts';
import { exactValue, formatValue } from '../../lib/format-value.ts';
import { Badge } from '../../ui/badge.tsx';
import type { TableColumn } from '../../ui/table.tsx';

/** All tokens of a row. */
export const tokensOf = ({ tokens }: Pick<CodingFigures, 'tokens'>): number =>
  tokens.input + tokens.cacheRead + tokens.cacheWrite + tokens.output;

/** A repository without what all of them have in common. */
export const shortRepository = (url: string): string =>
  url.replace(/^(?:https?:\/\/|git@)(?:[^/:]+[/:])?/, '').replace(/\.git$/, '');

const TONES = { running: 'ok', idle: 'plain', ended: 'plain', lost: 'warn' } as const;
/** Whether a session still runs. */
export const State = ({ state }: { state: keyof typeof TONES }) => <Badge tone={TONES[state]}>{state}</Badge>;

const share = (value: number | null) => <span title={exactValue(value, '1')}>{formatValue(value, '1')}</span>;

/** Figures that sessions, users and groups have, as columns of a table. */
export const FIGURE_COLUMNS: readonly TableColumn<CodingFigures>[] = [
  {
    label: 'Cost',
    align: 'end',
    cell: (row) => (
      <span title={exact(row.costUsd, ' USD')}>
        {formatCost(row.costUsd)}
        {row.unpricedCalls > 0 && (
          <span className="ml-1 text-warn" title={`${row.unpricedCalls} calls of models without a price`}>
            +{formatCount(row.unpricedCalls)} unpriced
          </span>
        )}
      </span>
    ),
  },
  {
    label: 'Tokens',
    align: 'end',
    cell: (row) => <span title={exact(tokensOf(row), ' tokens')}>{formatCount(tokensOf(row))}</span>,
  },
  { label: 'Cache hits', align: 'end', cell: (row) => share(row.cacheHitRatio) },
  {
    label: 'Tool calls',
    align: 'end',
    cell: (row) => (
      <span title={`${row.failedToolCalls} failed`}>
        {formatCount(row.toolCalls)}
        {row.failedToolCalls > 0 && (
          <span className="text-muted"> ({formatCount(row.failedToolCalls)} failed)</span>
        )}
      </span>
    ),
  },
  { label: 'Lines', align: 'end', cell: ({ lines }) => <Lines {...lines} /> },
  { label: 'Acceptance', align: 'end', cell: (row) => share(row.acceptance) },
  { label: 'Commits', align: 'end', cell: (row) => formatCount(row.commits) },
  { label: 'Pull requests', align: 'end', cell: (row) => formatCount(row.pullRequests) },
];

/** Lines that were added and removed. */
export const Lines = ({ added, removed }: { added: number; removed: number }) => (
  <span title={`${added} added, ${removed} removed`}>
    <span className="text-ok">+{formatCount(added)}</span>{' '}
    <span className="text-danger">−{formatCount(removed)}</span>
  </span>
);
