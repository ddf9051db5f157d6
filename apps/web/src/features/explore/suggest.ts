import type { FieldDefinition, RecordKind } from '@candela/contract/filter';

/** One line of a list of suggestions. */
export interface Suggestion {
  readonly value: string;
  readonly hint: string;
}

type Fields = Readonly<Record<string, FieldDefinition>>;

/** Fields of the signal whose name or alias begins with, else contains, what was typed. */
export function suggestFields(fields: Fields, signal: RecordKind, prefix: string): Suggestion[] {
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
