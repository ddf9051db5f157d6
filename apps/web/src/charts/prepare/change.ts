import { formatCount } from '../../lib/format.ts';

/** How a figure moved against the period before. */
export interface Change {
  /** 0.25 is a quarter more; null when there was nothing before or is nothing now. */
  readonly ratio: number | null;
  readonly direction: 'up' | 'down' | 'same' | 'new' | 'gone' | 'unknown';
  /** Whether that is good news, by what the figure is; a small move is neither. */
  readonly verdict: 'better' | 'worse' | 'neutral';
}

/** Moves below this share are noise. */
const NOTABLE = 0.01;

/** Compares a figure with the one of the period before; null means that nothing was measured. */
export function changeOf(
  now: number | null,
  before: number | null,
  better: 'lower' | 'higher' | 'neither' = 'neither',
): Change {
  const unknown: Change = { ratio: null, direction: 'unknown', verdict: 'neutral' };
  if (now === null || before === null) return unknown;
  if (before === 0 && now === 0) return { ratio: 0, direction: 'same', verdict: 'neutral' };
  const up = now > before;
  const verdict = better === 'neither' ? 'neutral' : up === (better === 'higher') ? 'better' : 'worse';
  if (before === 0) return { ratio: null, direction: 'new', verdict };
  if (now === 0) return { ratio: -1, direction: 'gone', verdict };
  const ratio = (now - before) / Math.abs(before);
  if (Math.abs(ratio) < NOTABLE) return { ratio, direction: 'same', verdict: 'neutral' };
  return { ratio, direction: up ? 'up' : 'down', verdict };
}

/** What follows `changeText` for those who do not see its colour: against what, and whether it is good news. */
export function changeSpoken({ direction, verdict }: Change): string {
  const news = verdict === 'neutral' ? '' : `, ${verdict}`;
  if (direction === 'same') return ' against the period before';
  if (direction === 'new') return `${news}, nothing in the period before`;
  return news === '' ? ' against the period before' : `${news} than in the period before`;
}

/** `+25%`, `−8%`, `×12`, `new`. */
export function changeText(change: Change): string {
  if (change.direction === 'new') return 'new';
  if (change.direction === 'same') return 'no change';
  if (change.ratio === null) return '';
  if (change.ratio >= 9) return `×${formatCount(Math.round(change.ratio + 1))}`;
  const percent = Math.abs(change.ratio * 100);
  return `${change.ratio > 0 ? '+' : '−'}${percent < 10 ? Number(percent.toFixed(1)) : Math.round(percent)}%`;
}
