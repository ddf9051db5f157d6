import { axisOf } from '../../charts/prepare/scale.ts';
import { formatTickValue } from '../../lib/format-value.ts';
import type { Focus } from './trace-search.ts';

/** A round time above the bars: where it stands, as a share of the width, and what it says. */
export interface RulerMark {
  readonly share: number;
  readonly label: string;
}

/** The last fifth has no room for words. */
const ROOM = 0.82;

/** A microsecond: a trace that takes no time is drawn as long as that. */
const LEAST_MS = 0.001;

/** Round times of a stretch of a trace. What takes no time, or hardly any, has only its beginning. */
export function rulerMarks({ fromMs, toMs }: Focus, most: number): RulerMark[] {
  const length = toMs - fromMs;
  return axisOf(fromMs, toMs, 'ms', most)
    .ticks.filter((ms) => ms >= fromMs && ms <= fromMs + length * ROOM)
    .filter((ms) => ms === 0 || ms >= LEAST_MS)
    .map((ms) => ({ share: (ms - fromMs) / length, label: formatTickValue(ms, 'ms') }));
}
