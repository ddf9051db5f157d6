import type { FacetValues } from '../../api/telemetry.ts';

export interface ShownFacet extends Omit<FacetValues, 'values'> {
  readonly values: readonly {
    readonly value: string;
    /** Undefined where it is not known. */
    readonly count: number | undefined;
  }[];
  /** The most frequent of them, which come first. */
  readonly top: number;
}

/**
 * An answer of before, shown until the next one is there: what it counted is about right still, and of what it does not
 * name nothing is known.
 */
export const asBefore = (own: FacetValues | undefined): FacetValues | undefined =>
  own && { ...own, more: true };

/**
 * The most frequent values of a field, and behind them those that the query asks for and that are not among them: what
 * was chosen can be taken out where it was put in. `own` is the answer with the field's own term, which counts them.
 */
export function withChosen(
  facet: FacetValues,
  chosen: readonly string[],
  own: FacetValues | undefined,
): ShownFacet {
  const listed = new Set(facet.values.map(({ value }) => value));
  const counts = new Map(own?.values.map(({ value, count }) => [value, count]));
  // What a whole answer does not name is not there.
  const otherwise = own === undefined || own.more ? undefined : 0;
  const added = [...new Set(chosen)]
    .filter((value) => !listed.has(value))
    .map((value) => ({ value, count: counts.get(value) ?? otherwise }))
    .toSorted((a, b) => (b.count ?? 0) - (a.count ?? 0));
  return { ...facet, values: [...facet.values, ...added], top: facet.values.length };
}
