import { printFilter } from '@candela/contract/filter';

/** A field as the text grammar writes it: keys of attributes that are no plain words are quoted. */
export const fieldTerm = (field: string): string => printFilter({ field, op: 'exists' }).replace(/:\*$/, '');

/** `field:value`, quoted where needed; without a value `-field:*`. */
export const valueTerm = (field: string, value: string | null): string =>
  value === null ? printFilter({ field, op: 'not_exists' }) : printFilter({ field, op: '=', value });

/** `field:value*`: values that begin so. */
export const beginTerm = (field: string, begin: string): string =>
  printFilter({ field, op: 'starts_with', value: begin });
