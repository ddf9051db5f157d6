import { type FilterTextError, parseFilter, type RecordKind } from '@candela/contract/filter';

/** Where the text is wrong, by the same parser that the server runs. */
export function queryTrouble(text: string, signal: RecordKind): FilterTextError | undefined {
  const parsed = parseFilter(text, signal);
  return parsed.ok ? undefined : parsed.error;
}
