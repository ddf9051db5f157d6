import { expect, it } from 'vitest';
import { LABEL_WIDTH, timeLabels } from './time-labels.ts';

const HOUR = 3_600_000;

it('never puts a label over another, nor over an end of the axis', () => {
  for (let width = 90; width <= 1_400; width += 7) {
    for (let offset = 0; offset < 4; offset += 0.25) {
      const fromMs = offset * HOUR;
      const ticks = [1, 2, 3, 4, 5, 6, 7].map((index) => index * 4 * HOUR);
      const labels = timeLabels({ ticks, fromMs, toMs: fromMs + 24 * HOUR }, width);
      const lefts = labels.map(({ at, side }) =>
        side === 'start' ? 0 : side === 'end' ? width - LABEL_WIDTH : at * width - LABEL_WIDTH / 2,
      );
      for (const [index, left] of lefts.entries()) {
        expect(left).toBeGreaterThanOrEqual(0);
        expect(left + LABEL_WIDTH).toBeLessThanOrEqual(lefts[index + 1] ?? width);
      }
    }
  }
});

it('labels every tick where there is room for all', () => {
  const ticks = [4, 8, 12, 16, 20].map((hour) => hour * HOUR);
  expect(timeLabels({ ticks, fromMs: 0, toMs: 24 * HOUR }, 1_000).map(({ tick }) => tick)).toEqual(ticks);
});
