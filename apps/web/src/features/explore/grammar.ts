import { resolveField, type RecordKind } from '@candela/contract/filter';

/** What reads and completes searches, as one part: it comes when there is something to read or to write. */
export { completeFilter, completionField, completionValue } from '@candela/contract/filter';
export { queryTrouble } from './query-trouble.ts';

/** Whether a field of that signal has values to list: those that are searched by words have none. */
export function hasValues(name: string, signal: RecordKind): boolean {
  const field = resolveField(name);
  if (field?.kind !== 'named') return field !== undefined && signal !== 'exceptions';
  return field.definition.type !== 'text' && field.definition.signals.includes(signal);
}
