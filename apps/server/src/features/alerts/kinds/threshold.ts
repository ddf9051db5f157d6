import type { LevelKind } from './kind.ts';
import { measure, valueOf } from './measure.ts';

/** A value beyond a limit. */
export const threshold: LevelKind<'threshold'> = {
  mode: 'level',
  async read(sources, { query, condition, windowSeconds }, asked) {
    const from = asked.end - windowSeconds * 1_000;
    const { all, note } = await measure(sources, query, { ...asked, from, to: asked.end });
    return {
      readings: all.map((one) => ({
        labels: one.labels,
        value: valueOf(one, asked.minSamples),
        condition,
      })),
      note,
    };
  },
};
