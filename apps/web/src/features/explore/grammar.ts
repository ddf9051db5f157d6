import { resolveField } from '@candela/contract/filter';

/** What reads and completes searches, as one part: it comes when there is something to read or to write. */
export { completeFilter, completionField, completionValue } from '@candela/contract/filter';
export { queryTrouble } from './query-trouble.ts';

/** Fields that are searched by words have no values to list. */
export function hasValues(name: string): boolean {
  const field = resolveField(name);
  return field !== undefined && (field.kind === 'key' || field.definition.type !== 'text');
}
