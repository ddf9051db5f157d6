import type { PromptSummary } from '@candela/contract';
import { Link } from '@tanstack/react-router';
import { Sparkline } from '../../charts/visualise/sparkline.tsx';
import { Badge } from '../../ui/badge.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import type { GridColumn } from '../../ui/data-grid.tsx';
import { TagButton } from '../build/tag-button.tsx';
import { countCell, Muted, NONE, TIME_WIDTH, TimeCell } from '../explore/cells.tsx';

/** Columns of the prompts, in order. */
export const promptColumns = (onTag: (tag: string) => void): readonly GridColumn<PromptSummary>[] => [
  {
    id: 'name',
    label: 'Prompt',
    width: 180,
    grow: 1.4,
    record: 'lead',
    cell: (row, tabIndex) => (
      <Link
        to="/prompts/$prompt"
        params={{ prompt: row.id }}
        tabIndex={tabIndex}
        className="font-medium hover:underline"
      >
        <MiddleTruncation name={row.name} />
      </Link>
    ),
  },
  {
    id: 'version',
    label: 'Latest',
    width: 130,
    cell: (row) => (
      <span className="flex items-center gap-1.5">
        {row.latestVersion === null ? (
          <Muted>none</Muted>
        ) : (
          <span className="font-mono text-sm">{row.latestVersion}</span>
        )}
        {row.hasDraft && <Badge tone="accent">draft</Badge>}
      </span>
    ),
  },
  {
    id: 'labels',
    label: 'Labels',
    width: 150,
    grow: 1,
    cell: (row) =>
      row.labels.length === 0 ? (
        NONE
      ) : (
        <span className="flex gap-1 overflow-hidden">
          {row.labels.map(({ label, version }) => (
            <span key={label} title={`${label} is ${version}`}>
              <Badge>
                {label} <span className="font-mono">{version}</span>
              </Badge>
            </span>
          ))}
        </span>
      ),
  },
  {
    id: 'tags',
    label: 'Tags',
    width: 120,
    grow: 0.8,
    cell: (row, tabIndex) =>
      row.tags.length === 0 ? (
        NONE
      ) : (
        <span className="flex gap-1 overflow-hidden">
          {row.tags.map((tag) => (
            <TagButton key={tag} tag={tag} onChoose={onTag} tabIndex={tabIndex} />
          ))}
        </span>
      ),
  },
  {
    id: 'trend',
    label: 'Last 7 days',
    width: 104,
    cell: (row) => (
      <Sparkline label={`Fetches of ${row.name} by day`} values={row.lastDays} kind="bars" width={88} />
    ),
  },
  {
    id: 'fetches',
    label: 'Fetches',
    width: 72,
    align: 'end',
    cell: (row) => countCell(row.lastDays.reduce((sum, count) => sum + count, 0)),
  },
  { id: 'versions', label: 'Versions', width: 72, align: 'end', cell: (row) => countCell(row.versions) },
  { id: 'updated', label: 'Changed', width: TIME_WIDTH, cell: (row) => <TimeCell iso={row.updatedAt} /> },
];
