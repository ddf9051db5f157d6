import { expect, it } from 'vitest';
import { prepareTimeChart } from '../prepare/time-chart.ts';
import { nearest } from './time-marks.tsx';

it('finds the layer of a stack under the pointer, above zero and below', () => {
  const chart = prepareTimeChart({
    series: [5, -3, 2, -4].map((value) => ({
      key: String(value),
      label: '',
      points: [{ timeMs: 0, value }],
    })),
    window: { fromMs: 0, toMs: 1_000 },
    stepSeconds: 1,
    kind: 'bars',
  });
  const place = { width: 100, height: 200, x: () => 50, y: (value: number) => 100 - 10 * value };
  const under = (value: number) => nearest(chart, 0, place.y(value), place);
  expect([4, 6, -1, -5].map(under)).toEqual(['5', '2', '-3', '-4']);
});
