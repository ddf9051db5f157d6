import { roundBase } from '../../lib/format-value.ts';

/** A linear axis whose ends are round numbers of the unit. */
export interface Axis {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
}

const STEPS_10 = [1, 2, 2.5, 5, 10];
const STEPS_2 = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024];
/** Seconds that read as round: up to minutes and hours. */
const SECONDS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400,
];
const PER_SECOND: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['ms', 1_000],
  ['us', 1e6],
  ['ns', 1e9],
]);

/**
 * Round steps of about `count` ticks that hold `low` to `high`; bytes step by powers of two, times by clock steps, what
 * is `whole` by whole numbers.
 */
export function axisOf(low: number, high: number, unit = '', count = 4, whole = false): Axis {
  const flat = !(high > low);
  const top = flat ? (high === 0 ? 1 : high + Math.abs(high) * 0.5) : high;
  const bottom = flat ? Math.min(0, low) : low;
  const wanted = stepOf((top - bottom) / count, unit);
  const step = whole ? Math.max(1, Math.ceil(wanted)) : wanted;
  const first = Math.floor(bottom / step + 1e-9) * step;
  const last = Math.ceil(top / step - 1e-9) * step;
  const ticks: number[] = [];
  for (let index = 0; index <= Math.round((last - first) / step) && index < 50; index += 1)
    ticks.push(clean(first + index * step));
  return { low: ticks[0] ?? bottom, high: ticks.at(-1) ?? top, ticks };
}

const clean = (value: number): number => Number(value.toPrecision(12));

function stepOf(wanted: number, unit: string): number {
  const perSecond = PER_SECOND.get(unit);
  if (perSecond !== undefined && wanted / perSecond >= 1) {
    const seconds = wanted / perSecond;
    const step = SECONDS.find((one) => one >= seconds);
    return (step ?? Math.ceil(seconds / 86_400) * 86_400) * perSecond;
  }
  const base = roundBase(unit) === 2 ? 1_024 : 10;
  const power = base ** Math.floor(Math.log(wanted) / Math.log(base) + 1e-9);
  const steps = base === 1_024 && wanted >= 1 ? STEPS_2 : STEPS_10;
  const scale = base === 1_024 && wanted < 1 ? 10 ** Math.floor(Math.log10(wanted)) : power;
  const factor = steps.find((one) => one * scale >= wanted * (1 - 1e-9)) ?? base;
  return factor * scale;
}
