import type { LevelKind } from './kind.ts';
import { keyOf, measure, valueOf } from './measure.ts';

/** Percent by which a value differs from that of the window before. */
export const change: LevelKind<'change'> = {
  mode: 'level',
  async read(sources, { query, condition, windowSeconds }, asked) {
    const length = windowSeconds * 1_000;
    const from = asked.end - length;
    const [now, before] = await Promise.all([
      measure(sources, query, { ...asked, from, to: asked.end }),
      measure(sources, query, { ...asked, from: from - length, to: from }),
    ]);
    const known = new Map(before.all.map((one) => [keyOf(one.labels), valueOf(one, asked.minSamples)]));
    return {
      readings: now.all.map((one) => {
        const value = valueOf(one, asked.minSamples);
        const old = known.get(keyOf(one.labels)) ?? null;
        // From nothing there is no change in percent.
        const percent =
          value === null || old === null || old === 0 ? null : ((value - old) / Math.abs(old)) * 100;
        return { labels: one.labels, value: percent, condition };
      }),
      note: now.note,
    };
  },
};
