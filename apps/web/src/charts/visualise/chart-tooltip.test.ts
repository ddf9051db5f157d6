import { expect, it } from 'vitest';
import { prepareTimeChart } from '../prepare/time-chart.ts';
import { stepSpoken } from './chart-tooltip.tsx';

const series = (key: string, ...values: (number | null)[]) => ({
  key,
  label: key,
  points: values.map((value, index) => ({ timeMs: index * 1_000, value })),
});

it('says of a step what its tooltip shows: the period before, and that nothing was measured', () => {
  const chart = prepareTimeChart({
    series: [series('cart', 12, null, null), series('search', 7, null, null)],
    previous: [series('cart', 10, null, null), { ...series('gone', 3, 4, null), tone: 'muted' }],
    window: { fromMs: 0, toMs: 3_000 },
    stepSeconds: 1,
    kind: 'line',
  });
  const spoken = [0, 1].map((step) => stepSpoken(chart, step, 'ms', 'utc').replace(/^.*? – [^,]*, /, ''));
  expect(spoken).toEqual(['gone 3 ms, cart 12 ms, was 10 ms, search 7 ms', 'gone 4 ms, nothing measured']);
});
