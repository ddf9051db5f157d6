import type { FieldDefinition, Signal } from '@candela/contract/filter';
import type { Completion } from '../../lib/query-text.ts';

export interface Suggestion {
  readonly value: string;
  readonly hint: string;
  readonly count?: number;
}

type Fields = Readonly<Record<string, FieldDefinition>>;
const MOST = 50;

/** Fields of the signal whose name or alias begins with, else contains, what was typed. */
export function suggestFields(fields: Fields, signal: Signal, prefix: string): Suggestion[] {
  const wanted = prefix.toLowerCase();
  const found: { rank: number; suggestion: Suggestion }[] = [];
  for (const [name, field] of Object.entries(fields)) {
    if (!field.signals.includes(signal)) continue;
    const names = [name, ...(field.aliases ?? [])];
    const rank = names.some((one) => one.startsWith(wanted)) ? 0 : name.includes(wanted) ? 1 : 2;
    if (rank < 2) found.push({ rank, suggestion: { value: name, hint: field.description } });
  }
  return found.sort((a, b) => a.rank - b.rank).map((entry) => entry.suggestion);
}

/** Values of the field being typed: what an enum allows, else what occurs most. */
export function suggestValues(
  fields: Fields,
  completion: Completion,
  seen: readonly { readonly value: string; readonly count: number }[],
): Suggestion[] {
  const wanted = completion.prefix.toLowerCase();
  const definition = Object.hasOwn(fields, completion.field) ? fields[completion.field] : undefined;
  const counts = new Map(seen.map((entry) => [entry.value, entry.count]));
  const values = seen.length > 0 ? [...counts.keys()] : (definition?.values ?? []);
  return values
    .filter((value) => value !== '' && value.toLowerCase().includes(wanted))
    .slice(0, MOST)
    .map((value) => {
      const count = counts.get(value);
      return count === undefined ? { value, hint: '' } : { value, hint: '', count };
    });
}
