import { type Filter, type Measure, resolveField } from '@candela/contract';
import { fail } from '@candela/kernel';
import type { Rollup } from '../../rollups/rollup.ts';
import type { Source } from '../core/source.ts';

/** An aggregate over rows. */
export interface Figure {
  readonly rows: string;
  /** The same from the rows of a rollup, of sums: those of parts add up to the sum of the whole. */
  readonly counts?: string;
}

/** How a measure is worked out from figures. */
export type Measured = (figure: (name: string) => string) => string;

/** A signal as charts count it: its rows, and the rollup that knows some of their fields. */
export interface Counted {
  readonly rows: Source;
  readonly counts: Source;
  /** That rollup, where costs are among its figures. */
  readonly rollup?: Rollup;
  /** How many rows there are. */
  readonly count: Required<Figure>;
  readonly figures: Readonly<Record<string, Figure>>;
  readonly measures: Readonly<Partial<Record<Measure, Measured>>>;
}

/** @throws bad_query for a measure that the signal does not have */
export function measuredOf(counted: Counted, measure: Measure): Measured {
  const measured = counted.measures[measure];
  if (measured !== undefined) return measured;
  const known = Object.keys(counted.measures).join(', ');
  throw fail('bad_query', {
    detail: `"${measure}" cannot be measured of ${counted.rows.signal}. There are: ${known}.`,
  });
}

/** The figures that measures need. */
export function figuresOf(measured: readonly Measured[]): readonly string[] {
  const names = new Set<string>();
  for (const one of measured) {
    one((name) => {
      names.add(name);
      return name;
    });
  }
  return [...names];
}

/** Whether figures are sums, which add up and which the rollup has as well. */
export const addUp = (counted: Counted, figures: readonly string[]): boolean =>
  figures.every((name) => counted.figures[name]?.counts !== undefined);

/** A measure over rows. */
export const rowsSql = (counted: Counted, measured: Measured): string =>
  measured((name) => `(${counted.figures[name]?.rows ?? ''})`);

/** True when the rollup knows the field of that name. */
export function countsField(counted: Counted, name: string): boolean {
  const resolved = resolveField(name);
  return resolved?.kind === 'named' && Object.hasOwn(counted.counts.fields, resolved.name);
}

/** True when the rollup knows every field of the filter. */
export function countsFilter(counted: Counted, filter: Filter | undefined): boolean {
  if (filter === undefined) return true;
  if ('and' in filter) return filter.and.every((part) => countsFilter(counted, part));
  if ('or' in filter) return filter.or.every((part) => countsFilter(counted, part));
  if ('not' in filter) return countsFilter(counted, filter.not);
  return countsField(counted, filter.field);
}
