import { fieldType, isNumeric } from './canonical.ts';
import { type FieldDefinition, FIELDS, type ResolvedField, resolveField } from './fields.ts';
import type { RecordKind } from './records.ts';
import { hasSource, KEY_SOURCES } from './keys.ts';
import { printFieldName, printValue } from './print.ts';
import { Scanner } from './scanner.ts';

export interface CompletionOption {
  /** Text to put in place of `from`..`to`, quoted where it must be. */
  readonly insert: string;
  readonly label: string;
  readonly hint: string;
}

/** What can be written where the cursor stands. Offsets are UTF-16 units. */
export interface FilterCompletion {
  readonly kind: 'field' | 'operator' | 'value' | 'none';
  /** The part of the text that a choice replaces. */
  readonly from: number;
  readonly to: number;
  /** What is written of it before the cursor, without quotes. */
  readonly typed: string;
  /** The field whose operator or value is wanted, in its full name. */
  readonly field: string | undefined;
  /** What is known without asking: fields, operators, values of fields that have few. */
  readonly options: readonly CompletionOption[];
}

/**
 * Completes a search text at a cursor: names of fields, operators, values. A pure function of the text: keys of
 * attributes and values that only the store knows are asked for by `typed` and `field`.
 */
export function completeFilter(text: string, cursor: number, signal: RecordKind): FilterCompletion {
  const scanner = new Scanner(text);
  const at = Math.max(0, Math.min(cursor, text.length));
  for (;;) {
    while (!scanner.atEnd && /[\s()]/.test(scanner.peek()) && scanner.position < at) scanner.position++;
    if (scanner.position >= at && !startsWord(scanner)) return fieldCompletion('', at, at, signal);
    if (scanner.peek() === '-' && scanner.position < at) scanner.position++;
    if (scanner.peek() === '"') {
      if (scanner.takeQuoted() === undefined || scanner.position >= at) return nothing(at);
      continue;
    }
    const start = scanner.position;
    const name = takeName(scanner);
    if (scanner.position >= at) {
      return fieldCompletion(text.slice(start, at), start, scanner.position, signal);
    }
    if (name !== '' && scanner.seesOperator()) {
      const found = inValue(scanner, text, at, name, signal);
      if (found !== undefined) return found;
      continue;
    }
    // A free word with stars, or a sign that belongs to nothing. What else stands here is a blank, a parenthesis or a quote.
    scanner.takeWhile(/[^\s()"]/);
    if (scanner.position >= at) return nothing(at);
  }
}

/** A field name as the text grammar writes it, with the sign that most often follows. */
export function completionField(field: string): string {
  const resolved = resolveField(field);
  const numeric = resolved !== undefined && isNumeric(fieldType(resolved));
  return `${printFieldName(field)}${numeric ? '>' : ':'}`;
}

/** A value as the text grammar writes it: bare where it can be, else quoted. */
export const completionValue = (value: string): string => printValue(value);

const startsWord = (scanner: Scanner): boolean => !scanner.atEnd && !/[\s()]/.test(scanner.peek());

function takeName(scanner: Scanner): string {
  let name = scanner.takeWhile(/[^\s:=<>!()"*]/);
  if (scanner.peek() === '"' && KEY_SOURCES.some((source) => name === `${source}.`)) {
    name += scanner.takeQuoted() ?? '';
  }
  return name;
}

function nothing(at: number): FilterCompletion {
  return { kind: 'none', from: at, to: at, typed: '', field: undefined, options: [] };
}

function fieldCompletion(typed: string, from: number, to: number, signal: RecordKind): FilterCompletion {
  if (/^(?:and|or|not)$/i.test(typed)) return nothing(to);
  const resolved = resolveField(typed);
  if (resolved?.kind === 'named' && resolved.definition.signals.includes(signal)) {
    const options = operatorsOf(resolved);
    return { kind: 'operator', from: to, to, typed: '', field: resolved.name, options };
  }
  return { kind: 'field', from, to, typed, field: undefined, options: fieldOptions(typed, signal) };
}

const SIGNS: readonly [string, string][] = [
  [':', 'is'],
  ['!=', 'is not'],
  ['>', 'more than'],
  ['>=', 'at least'],
  ['<', 'less than'],
  ['<=', 'at most'],
];

function operatorsOf(field: ResolvedField): CompletionOption[] {
  const ordered =
    isNumeric(fieldType(field)) || (field.kind === 'named' && field.definition.ordered === true);
  const signs = SIGNS.slice(0, ordered ? SIGNS.length : 2).map(([sign, hint]) => ({
    insert: sign,
    label: sign,
    hint,
  }));
  const more = field.kind === 'named' && field.definition.type === 'string';
  return more ? [...signs, { insert: ':*', label: ':*', hint: 'is there' }] : signs;
}

function fieldOptions(typed: string, signal: RecordKind): CompletionOption[] {
  const wanted = typed.toLowerCase();
  const ranked: { rank: number; option: CompletionOption }[] = [];
  for (const [name, definition] of Object.entries(FIELDS as Readonly<Record<string, FieldDefinition>>)) {
    if (!definition.signals.includes(signal)) continue;
    const names = [name, ...(definition.aliases ?? [])];
    const rank = names.some((one) => one.startsWith(wanted))
      ? 0
      : names.some((one) => one.includes(wanted))
        ? 1
        : 2;
    if (rank === 2) continue;
    const label = printFieldName(name);
    ranked.push({ rank, option: { insert: completionField(name), label, hint: definition.description } });
  }
  const options = ranked.sort((a, b) => a.rank - b.rank).map(({ option }) => option);
  const sources = KEY_SOURCES.filter(
    (source) => hasSource(source, signal) && `${source}.`.startsWith(wanted),
  ).map((source) => ({
    insert: `${source}.`,
    label: `${source}.`,
    hint: SOURCE_HINTS[source],
  }));
  return [...options, ...sources];
}

const SOURCE_HINTS = {
  attributes: 'An attribute of the record by its key',
  resource: 'An attribute of the resource by its key',
  scope: 'An attribute of the instrumentation scope by its key',
  score: 'A score by its name: score.relevance:fail, score.relevance>0.5',
} as const;

/** The completion of the value at the cursor, or undefined when the value ends before it. */
function inValue(
  scanner: Scanner,
  text: string,
  at: number,
  name: string,
  signal: RecordKind,
): FilterCompletion | undefined {
  scanner.takeOperator();
  const field = resolveField(name);
  if (scanner.position > at) return nothing(at);
  if (scanner.peek() !== '(') return valueHere(scanner, text, at, field, { signal, inList: false });
  scanner.position++;
  for (;;) {
    while (scanner.position < at && /[\s,]/.test(scanner.peek())) scanner.position++;
    if (scanner.seesKeyword('or') && scanner.position + 2 < at) {
      scanner.position += 2;
      continue;
    }
    if (scanner.peek() === ')' && scanner.position < at) {
      scanner.position++;
      return undefined;
    }
    const before = scanner.position;
    const found = valueHere(scanner, text, at, field, { signal, inList: true });
    if (found !== undefined) return found;
    if (scanner.position === before) scanner.position++;
  }
}

function valueHere(
  scanner: Scanner,
  text: string,
  at: number,
  field: ResolvedField | undefined,
  of: { readonly signal: RecordKind; readonly inList: boolean },
): FilterCompletion | undefined {
  const from = scanner.position;
  const value = scanner.takeValue(of.inList);
  // An open quote reaches to the end of the text.
  if (value === 'unclosed') scanner.position = text.length;
  const to = scanner.position;
  if (to < at) return undefined;
  if (field === undefined || (typeof value === 'object' && value.regex !== undefined)) return nothing(at);
  const typed = text
    .slice(from, at)
    .replaceAll('"', '')
    .replaceAll('\\', '')
    .replace(/^[*]+|[*]+$/g, '');
  const name = field.kind === 'key' ? `${field.source}.${field.key}` : field.name;
  return { kind: 'value', from, to, typed, field: name, options: valueOptions(field, typed, of.signal) };
}

function valueOptions(field: ResolvedField, typed: string, signal: RecordKind): CompletionOption[] {
  if (field.kind === 'key' || !field.definition.signals.includes(signal)) return [];
  const { type, values } = field.definition;
  const known = type === 'boolean' ? ['true', 'false'] : (values ?? []);
  const wanted = typed.toLowerCase();
  return known
    .filter((value) => value.includes(wanted))
    .sort((a, b) => Number(b.startsWith(wanted)) - Number(a.startsWith(wanted)))
    .map((value) => ({ insert: printValue(value), label: value, hint: '' }));
}
