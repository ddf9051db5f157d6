import type { ReactNode } from 'react';
import {
  DASH,
  exact,
  formatCost,
  formatCount,
  formatDuration,
  formatIso,
  formatRowTime,
} from '../../lib/format.ts';
import { shortModels } from '../../lib/models.ts';
import { isShortName } from '../../lib/name-parts.ts';
import { zonePreference } from '../../lib/zone.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';

/** Pixels of a column of times: those of another day are written with the day. */
export const TIME_WIDTH = 124;

/** A time of a row, in the person's zone; the title has all of it. */
export function TimeCell({ iso }: { iso: string }) {
  const zone = zonePreference.use();
  const ms = Date.parse(iso);
  return <span title={formatIso(ms)}>{formatRowTime(ms, Date.now(), zone)}</span>;
}

export const Muted = ({ children }: { children: ReactNode }) => (
  <span className="text-muted">{children}</span>
);
/** Of what is not there; a record leaves it out. */
export const NONE: ReactNode = (
  <span data-none className="text-muted">
    {DASH}
  </span>
);
export const textCell = (value: string | null) =>
  value === null || value === '' ? NONE : <MiddleTruncation name={value} />;
/** Models or other names of a row: side by side while they are short, else the first of them and how many more. */
export const modelsCell = (names: readonly string[]) => {
  const short = shortModels(names);
  const [first] = short;
  if (first === undefined) return NONE;
  const all = names.join(', ');
  if (short.every(isShortName)) return <span title={all}>{short.join(', ')}</span>;
  return (
    <span title={all} className="flex gap-1">
      <MiddleTruncation name={first} title="" />
      {short.length > 1 && <Muted>+{short.length - 1}</Muted>}
    </span>
  );
};
const figure = (value: number | null, text: string, unit = '') =>
  value === null ? NONE : <span title={exact(value, unit)}>{text}</span>;
export const durationCell = (ms: number | null) => figure(ms, formatDuration(ms), ' ms');
/** How long a span or a trace took; what was sent while it ran has no duration yet. */
export const spanDurationCell = (row: { readonly durationMs: number; readonly unfinished: boolean }) =>
  row.unfinished ? (
    <span className="text-muted" title="Sent while it ran; its end has not come">
      running
    </span>
  ) : (
    durationCell(row.durationMs)
  );
export const costCell = (usd: number | null) => figure(usd, formatCost(usd), ' USD');
export const countCell = (count: number | null) => figure(count, formatCount(count));
export const tokensCell = (row: {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}) =>
  row.inputTokens === null && row.outputTokens === null ? (
    NONE
  ) : (
    <span title={`${exact(row.inputTokens)} in, ${exact(row.outputTokens)} out`}>
      {formatCount(row.inputTokens)} <Muted>→</Muted> {formatCount(row.outputTokens)}
    </span>
  );

/** The head of a column of outcomes, which has no label of its own. */
export const STATUS_HEAD = { text: 'St.', title: 'Status' } as const;
