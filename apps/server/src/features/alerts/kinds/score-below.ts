import type { LevelKind } from './kind.ts';
import { measure, valueOf } from './measure.ts';

/** Scores that fell: their mean or the part that passed, where there are enough of them to say so. */
export const scoreBelow: LevelKind<'score_below'> = {
  mode: 'level',
  async read(sources, source, asked) {
    const { measure: measured, value, recovery, minScores, windowSeconds } = source;
    const { name, evaluator, source: from, groupBy } = source;
    const { all, note } = await measure(
      sources,
      {
        kind: 'scores',
        body: { name, evaluator, source: from, groupBy, measures: [measured], overTime: false, limit: 100 },
      },
      { ...asked, from: asked.end - windowSeconds * 1_000, to: asked.end },
    );
    const least = Math.max(minScores, asked.minSamples);
    return {
      readings: all.map((one) => ({
        labels: one.labels,
        value: valueOf(one, least),
        condition: { op: '<', value, ...(recovery === undefined ? {} : { recovery }) },
      })),
      note,
    };
  },
};
