import type { ComparedField, ComparedNumber } from '@candela/contract';

/** A smaller difference tells less. */
const LEAST_NUMBER = 0.05;

/** A field, and those that part the rows just as it does: a language and its runtime say the same. */
export interface FieldsAlike {
  readonly field: ComparedField;
  readonly alike: readonly ComparedField[];
}

/**
 * What differs, the most different first: numbers among the fields, which stay in the order that the server gave them,
 * and each field with those that tell the same.
 */
export function differences(told: {
  readonly fields: readonly ComparedField[];
  readonly numbers: readonly ComparedNumber[];
}): (FieldsAlike | ComparedNumber)[] {
  const numbers = told.numbers.filter((one) => one.difference >= LEAST_NUMBER);
  let taken = 0;
  const cards = alike(told.fields).flatMap((one): (FieldsAlike | ComparedNumber)[] => {
    const from = taken;
    while ((numbers[taken]?.difference ?? -1) >= one.field.difference) taken += 1;
    return [...numbers.slice(from, taken), one];
  });
  return [...cards, ...numbers.slice(taken)];
}

function alike(fields: readonly ComparedField[]): FieldsAlike[] {
  const groups = Map.groupBy(fields, (field) => (isSplit(field) ? splitOf(field) : field.field));
  return [...groups.values()].flatMap(([field, ...others]) =>
    field === undefined ? [] : [{ field, alike: others }],
  );
}

/** By one value that all of some rows have, two fields look alike that have nothing to do with each other. */
const isSplit = ({ values, more }: ComparedField): boolean => values.length > 1 && !more;

/** Shares are parts of the same rows: equal ones come out of equal counts. Which value comes first of two equal ones is chance. */
const splitOf = ({ values }: ComparedField): string =>
  JSON.stringify(
    values.map(({ value, selection, rest }) => `${value === null} ${selection} ${rest}`).toSorted(),
  );
