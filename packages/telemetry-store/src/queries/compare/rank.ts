import type { ComparedField, ComparedNumber } from '@candela/contract';
import type { Numbers, Seen } from './sample.ts';

/** Rows of both sides: in the window, and looked at. Weights add up to the rows that the samples stand for. */
export interface Totals {
  readonly selection: { readonly weight: number; readonly sampled: number };
  readonly rest: { readonly weight: number; readonly sampled: number };
}

/** Values of a field that are told. */
const SHOWN = 10;
/** Differences within so many standard deviations of what chance makes are none. */
const DEVIATIONS = 3;
/** A value seen less often in both samples says nothing. */
const MIN_SEEN = 5;
/** Kolmogorov-Smirnov: at this level a hundredth of pairs of samples of one distribution lie further apart. */
const CHANCE_LEVEL = 1.63;
/**
 * A field with so many values, most of them rare, is an id. Of it only values count that have a share worth naming and
 * are seen over time: rows that lie together share their ids, which says nothing.
 */
const ID_VALUES = 50;
const ID_RATIO = 0.05;
const ID_SHARE = 0.02;
const ID_PARTS = 4;

/**
 * Fields by how much their values differ between the sides. Of each value counts how far its shares lie apart, unless
 * chance alone explains that in samples of this size, and nothing of values as rare as ids are. Fields of `restating` say
 * the selection in other words: they come after those that may explain it.
 */
export function rankFields(
  seen: readonly Seen[],
  totals: Totals,
  limit: number,
  restating: ReadonlySet<string>,
): ComparedField[] {
  const byField = new Map<string, Seen[]>();
  for (const one of seen) {
    const own = byField.get(one.field) ?? [];
    byField.set(one.field, own);
    own.push(one);
  }
  const fields = [...byField]
    .filter(([, values]) => !isNamedToo(values))
    .map(([field, values]) => compareField(field, values, totals));
  return fields
    .filter(({ difference }) => difference > 0)
    .sort(
      (a, b) =>
        Number(restating.has(a.field)) - Number(restating.has(b.field)) ||
        b.difference - a.difference ||
        (a.field < b.field ? -1 : 1),
    )
    .slice(0, limit);
}

/** An attribute that a named field was taken from: in every row that has it, a named field says the same. */
const isNamedToo = (seen: readonly Seen[]): boolean =>
  seen.every((one) => one.named > 0 && one.named === one.sampledSelection + one.sampledRest);

function compareField(field: string, seen: readonly Seen[], totals: Totals): ComparedField {
  const shares = seen.map((one) => ({
    value: one.value as string | null,
    cut: one.cut,
    selection: share(one.selection, totals.selection.weight),
    rest: share(one.rest, totals.rest.weight),
    seen: one.sampledSelection + one.sampledRest,
    parts: one.parts,
  }));
  const distinct = seen[0]?.distinct ?? seen.length;
  const sampled = totals.selection.sampled + totals.rest.sampled;
  const isId = distinct > ID_VALUES && distinct > sampled * ID_RATIO;
  const missing = {
    value: null,
    cut: false,
    selection: 1 - share(seen[0]?.withField.selection ?? 0, totals.selection.weight),
    rest: 1 - share(seen[0]?.withField.rest ?? 0, totals.rest.weight),
    seen: MIN_SEEN,
    parts: ID_PARTS,
  };
  if (missing.selection > 1e-9 || missing.rest > 1e-9) shares.push(missing);
  const apart = shares.map((one) => {
    const named = Math.max(one.selection, one.rest) >= ID_SHARE && one.parts >= ID_PARTS;
    const counts = one.seen >= MIN_SEEN && (!isId || named);
    return { ...one, apart: counts ? beyondChance(one, totals) : 0 };
  });
  apart.sort((a, b) => b.apart - a.apart || Math.max(b.selection, b.rest) - Math.max(a.selection, a.rest));
  // All that counts for nothing by itself counts as one value: ids that only one side has tell it from the other.
  const counted = apart.filter((one) => one.apart > 0);
  const others = beyondChance(
    {
      selection: Math.max(0, 1 - sum(counted.map((one) => one.selection))),
      rest: Math.max(0, 1 - sum(counted.map((one) => one.rest))),
    },
    totals,
  );
  return {
    field,
    difference: Math.min(1, (sum(counted.map((one) => one.apart)) + others) / 2),
    values: apart.slice(0, SHOWN).map(({ value, cut, selection, rest }) => ({ value, cut, selection, rest })),
    more: apart.length > SHOWN || distinct > seen.length,
  };
}

function beyondChance(one: { selection: number; rest: number }, totals: Totals): number {
  const a = totals.selection.sampled;
  const b = totals.rest.sampled;
  if (a === 0 || b === 0) return 0;
  const pooled = (one.selection * a + one.rest * b) / (a + b);
  const chance = DEVIATIONS * Math.sqrt(pooled * (1 - pooled) * (1 / a + 1 / b));
  const apart = Math.abs(one.selection - one.rest);
  return apart > chance ? apart : 0;
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : Math.min(1, part / whole));
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export interface NumberField {
  readonly field: string;
  readonly unit: ComparedNumber['unit'];
}

/** Numbers by how far their distributions lie apart, those without any in both sides left out. */
export function rankNumbers(rows: readonly Numbers[], fields: readonly NumberField[]): ComparedNumber[] {
  return fields
    .map(({ field, unit }, index): ComparedNumber => {
      const side = (selected: boolean) =>
        rows
          .filter((row) => row.selected === selected)
          .flatMap(({ weight, values }): Point[] => {
            const value = values[index];
            return value === null || value === undefined ? [] : [{ value, weight }];
          })
          .sort((a, b) => a.value - b.value);
      const selection = side(true);
      const rest = side(false);
      return {
        field,
        unit,
        selection: quantilesOf(selection),
        rest: quantilesOf(rest),
        difference: distance(selection, rest),
      };
    })
    .filter(({ selection, rest }) => selection.count + rest.count > 0)
    .sort((a, b) => b.difference - a.difference);
}

interface Point {
  readonly value: number;
  readonly weight: number;
}

const weightOf = (points: readonly Point[]): number => sum(points.map(({ weight }) => weight));

function quantilesOf(points: readonly Point[]): ComparedNumber['selection'] {
  const total = weightOf(points);
  const at = (level: number): number | null => {
    let below = 0;
    for (const { value, weight } of points) {
      below += weight;
      if (below >= total * level) return value;
    }
    return points.at(-1)?.value ?? null;
  };
  return { count: points.length, p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}

/** The largest distance of the two cumulative distributions; 0 when chance alone explains it in samples of this size. */
function distance(a: readonly Point[], b: readonly Point[]): number {
  if (Math.min(a.length, b.length) < MIN_SEEN) return 0;
  const totalA = weightOf(a);
  const totalB = weightOf(b);
  if (totalA === 0 || totalB === 0) return 0;
  let belowA = 0;
  let belowB = 0;
  let atA = 0;
  let atB = 0;
  let largest = 0;
  while (atA < a.length && atB < b.length) {
    const value = Math.min(a[atA]?.value ?? 0, b[atB]?.value ?? 0);
    for (; a[atA]?.value === value; atA++) belowA += a[atA]?.weight ?? 0;
    for (; b[atB]?.value === value; atB++) belowB += b[atB]?.weight ?? 0;
    largest = Math.max(largest, Math.abs(belowA / totalA - belowB / totalB));
  }
  const chance = CHANCE_LEVEL * Math.sqrt(1 / a.length + 1 / b.length);
  return largest > chance ? Math.min(1, largest) : 0;
}
