import { describe, expect, it } from 'vitest';
import { groupOfKey, seriesOfAggregate, shifted } from './aggregate-series.ts';
import { paletteOf } from './palette.ts';
import { axisOf } from './scale.ts';
import { brushedSteps, type ChartSeries, pieces, prepareTimeChart } from './time-chart.ts';

const window = { fromMs: 0, toMs: 10_000 };
const series = (key: string, ...values: (number | null)[]): ChartSeries => ({
  key,
  label: key,
  points: values.map((value, index) => ({ timeMs: index * 1_000, value })),
});

describe('time chart', () => {
  it('keeps gaps as gaps and fills counts with zero', () => {
    const gaps = prepareTimeChart({
      series: [series('a', 1, null, 3)],
      window,
      stepSeconds: 1,
      kind: 'line',
    });
    expect(gaps.series[0]?.values.slice(0, 4)).toEqual([1, null, 3, null]);
    const zeros = prepareTimeChart({
      series: [series('a', 1, null, 3)],
      window,
      stepSeconds: 1,
      kind: 'bars',
      missing: 'zero',
    });
    expect(zeros.series[0]?.values.slice(0, 4)).toEqual([1, 0, 3, 0]);
  });

  it('stacks from below and fits the axis to the stack', () => {
    const chart = prepareTimeChart({
      series: [series('a', 1, 2), series('b', 10, null)],
      window,
      stepSeconds: 1,
      kind: 'area',
      missing: 'zero',
    });
    expect([...(chart.series[1]?.low ?? [])].slice(0, 2)).toEqual([1, 2]);
    expect([...(chart.series[1]?.high ?? [])].slice(0, 2)).toEqual([11, 2]);
    expect(chart.axis.high).toBeGreaterThanOrEqual(11);
  });

  it('stacks what is negative down from zero, beside what is positive', () => {
    const chart = prepareTimeChart({
      series: [series('a', 5), series('b', -3), series('c', 2), series('d', -4)],
      window,
      stepSeconds: 1,
      kind: 'bars',
    });
    expect(chart.series.map(({ low, high }) => [low[0], high[0]])).toEqual([
      [0, 5],
      [0, -3],
      [5, 7],
      [-3, -7],
    ]);
    expect(chart.axis.low).toBeLessThanOrEqual(-7);
    expect(chart.axis.high).toBeGreaterThanOrEqual(7);
  });

  it('fits the axis to measurements beside the line, below zero as well', () => {
    const { axis } = prepareTimeChart({
      series: [series('a', 1, 2)],
      window,
      stepSeconds: 1,
      kind: 'line',
      alsoFit: [-30, 9, Number.NaN],
    });
    expect(axis.low).toBeLessThanOrEqual(-30);
    expect(axis.high).toBeGreaterThanOrEqual(9);
  });

  it('draws the eight largest and says how many there are', () => {
    const many = Array.from({ length: 12 }, (_, index) => series(`s${index}`, index));
    const chart = prepareTimeChart({ series: many, total: 40, window, stepSeconds: 1, kind: 'line' });
    expect(chart.series.map((one) => one.key)).toEqual(['s4', 's5', 's6', 's7', 's8', 's9', 's10', 's11']);
    expect([chart.hidden, chart.total]).toEqual([32, 40]);
    expect(new Set(chart.series.map((one) => one.colour)).size).toBe(8);
  });

  it('paints the same thing of two queries alike and tells it apart otherwise', () => {
    const chart = prepareTimeChart({
      series: [
        { ...series('a shop', 1), identity: 'shop' },
        { ...series('b shop', 2), identity: 'shop' },
        { ...series('b cart', 3), identity: 'cart' },
      ],
      window,
      stepSeconds: 1,
      kind: 'line',
    });
    const [a, b, cart] = chart.series;
    expect(a?.colour).toBe(b?.colour);
    expect(cart?.colour).not.toBe(a?.colour);
    expect([a?.twin, b?.twin, cart?.twin]).toEqual([0, 1, 0]);
    const shared = prepareTimeChart({
      series: [series('shop', 1)],
      colours: new Map([['shop', 'var(--series-7)']]),
      window,
      stepSeconds: 1,
      kind: 'line',
    });
    expect(shared.series[0]?.colour).toBe('var(--series-7)');
  });

  it('writes whole numbers beside counts, also beside none at all', () => {
    const ticks = (unit: string, ...values: number[]) =>
      prepareTimeChart({
        series: [series('a', ...values)],
        window,
        stepSeconds: 1,
        kind: 'bars',
        missing: 'zero',
        unit,
        valueTicks: 2,
      }).axis.ticks;
    expect(ticks('')).toEqual([0, 1]);
    expect(ticks('{request}', 1)).toEqual([0, 1]);
    expect(ticks('', 3)).toEqual([0, 2, 4]);
    expect(ticks('1', 1)).toEqual([0, 0.5, 1]);
    expect(ticks('', 0.5)).not.toEqual([0, 1]);
  });

  it('leaves out points beyond the window and unreadable values', () => {
    const odd: ChartSeries = {
      key: 'a',
      label: 'a',
      points: [
        { timeMs: -5_000, value: 9 },
        { timeMs: 50_000, value: 9 },
        { timeMs: 2_000, value: Number.NaN },
      ],
    };
    const chart = prepareTimeChart({ series: [odd], window, stepSeconds: 1, kind: 'line' });
    expect(chart.series[0]?.values.every((value) => value === null)).toBe(true);
    expect(chart.empty).toBe(true);
  });

  it('bounds its steps whatever the window is', () => {
    const decade = { fromMs: 0, toMs: 10 * 365 * 86_400_000 };
    expect(prepareTimeChart({ series: [], window: decade, stepSeconds: 1, kind: 'line' }).steps).toBeLessThan(
      2_002,
    );
  });

  it('brushes whole steps, cuts lines at gaps', () => {
    const chart = prepareTimeChart({ series: [], window, stepSeconds: 1, kind: 'line' });
    expect(brushedSteps(chart, 0.55, 0.31)).toEqual({ fromMs: 3_000, toMs: 6_000 });
    expect(pieces([1, 2, null, 3, null, null, 4])).toEqual([
      { from: 0, to: 1 },
      { from: 3, to: 3 },
      { from: 6, to: 6 },
    ]);
  });

  it('reads aggregate answers by group', () => {
    const answer = {
      rows: [
        { time: '1970-01-01T00:00:01.000Z', group: ['gpt-4o', ''], values: [1, 2] },
        { time: '1970-01-01T00:00:02.000Z', group: ['gpt-4o', ''], values: [3, null] },
        { time: null, group: [], values: [] },
      ],
    };
    const [only] = seriesOfAggregate(answer, 1, 'all');
    expect(only?.label).toBe('gpt-4o · (none)');
    expect(groupOfKey(only?.key ?? '')).toEqual(['gpt-4o', '']);
    expect(only?.points).toEqual([
      { timeMs: 1_000, value: 2 },
      { timeMs: 2_000, value: null },
    ]);
    expect(shifted([only as ChartSeries], 500)[0]?.points[0]?.timeMs).toBe(1_500);
    // The legend begins with what matters, not with what came first.
    const rows = ['small', 'large'].map((name, at) => ({
      time: '1970-01-01T00:00:01.000Z',
      group: [name],
      values: [at],
    }));
    expect(seriesOfAggregate({ rows }, 0, 'all').map(({ label }) => label)).toEqual(['large', 'small']);
  });
});

describe('colours', () => {
  it('follow the key, whatever else is drawn and however it ranks', () => {
    const alone = paletteOf(['gpt-4o']).get('gpt-4o');
    expect(paletteOf(['gpt-4o', 'zeta']).get('gpt-4o')).toBe(alone);
    expect(paletteOf(['b', 'a', 'c'])).toEqual(paletteOf(['c', 'b', 'a']));
  });
});

describe('axis', () => {
  it('has round ends of the unit', () => {
    expect(axisOf(0, 93).ticks).toEqual([0, 25, 50, 75, 100]);
    expect(axisOf(0, 0).high).toBe(1);
    expect(axisOf(0, 0.83, '1').ticks).toEqual([0, 0.25, 0.5, 0.75, 1]);
    expect(axisOf(0, 170, 's').ticks).toEqual([0, 60, 120, 180]);
    expect(axisOf(0, 3 * 2 ** 30, 'By').ticks.map((tick) => tick / 2 ** 30)).toEqual([0, 1, 2, 3]);
    expect(axisOf(-5, 5).low).toBeLessThanOrEqual(-5);
    expect(axisOf(7, 7).ticks.length).toBeGreaterThan(1);
  });
});
