import { type CandelaError, fail } from '@candela/kernel';
import { FILTER_LIMITS, type Filter, type FilterCondition, type FilterScalar } from './ast.ts';
import {
  canonicalFieldName,
  canonicalFilter,
  fieldTooLong,
  fieldType,
  readNumber,
  withoutSource,
} from './canonical.ts';
import { FIELDS, orList, type ResolvedField, resolveField, suggestFields } from './fields.ts';
import type { RecordKind } from './records.ts';
import { hasSource, KEY_SOURCES } from './keys.ts';
import { Scanner, type Value } from './scanner.ts';
import { type FilterTextError, Trouble } from './trouble.ts';
import { negate, valueCondition } from './value-condition.ts';
import { literalWords, piecesOccur } from './words.ts';

export type ParsedFilter =
  | { readonly ok: true; readonly filter: Filter | undefined }
  | { readonly ok: false; readonly error: FilterTextError };

/**
 * Reads the filter grammar: `service:checkout model:(gpt-4o or claude-*) duration>2s -status:ok "free words"`.
 * Blank text is no filter. Never throws.
 */
export function parseFilter(text: string, signal?: RecordKind): ParsedFilter {
  try {
    return { ok: true, filter: new Parser(text, signal).parse() };
  } catch (error) {
    if (error instanceof Trouble) return { ok: false, error: error.error };
    throw error;
  }
}

/** As {@link parseFilter}, for the server. @throws bad_query whose details hold position, length and hint */
export function parseFilterOrFail(text: string, signal?: RecordKind): Filter | undefined {
  const parsed = parseFilter(text, signal);
  if (parsed.ok) return parsed.filter;
  throw fail(
    'bad_query',
    {
      detail:
        `Search text, character ${parsed.error.position + 1}: ${parsed.error.message} ${parsed.error.hint}`.trim(),
    },
    { details: { ...parsed.error } },
  );
}

/** Names that other languages have for the time of a row. */
const TIME = /^@?(?:time|timestamp|date|datetime|start_?time)$/i;
/** What other languages write for the words that join conditions. */
const JOINING: ReadonlyMap<string, string> = new Map([
  ['&&', 'and'],
  ['||', 'or'],
]);
/** Quotes of other languages, and those that text processors make of ours. */
const FOREIGN_QUOTE = /['\u2018-\u201D]/;
const SIGN = /^(?:==|[!<>]=|:[<>]=?|[:=<>])/;

class Parser {
  private readonly scanner: Scanner;
  private readonly signal: RecordKind | undefined;
  private readonly text: string;
  private depth = 0;
  /** The bare word, or the condition that ends in a bare number, that was read last. */
  private last:
    | { readonly word?: string; readonly number?: ResolvedField; start: number; end: number }
    | undefined;

  constructor(text: string, signal: RecordKind | undefined) {
    this.text = text;
    this.scanner = new Scanner(text);
    this.signal = signal;
  }

  parse(): Filter | undefined {
    const { scanner } = this;
    if (this.text.length > FILTER_LIMITS.textLength) {
      throw new Trouble(
        `The search text is longer than ${FILTER_LIMITS.textLength.toLocaleString('en')} characters.`,
        FILTER_LIMITS.textLength,
        1,
        'Look for fewer or shorter values, or search several times.',
      );
    }
    scanner.skipBlanks();
    if (scanner.atEnd) return undefined;
    const filter = this.or();
    if (!scanner.atEnd) {
      throw new Trouble('This ")" closes nothing.', scanner.position, 1, 'Remove it or put it in quotes.');
    }
    try {
      return canonicalFilter(filter);
    } catch (error) {
      throw new Trouble((error as Error).message, 0, this.text.length);
    }
  }

  private or(): Filter {
    const items = [this.and()];
    while (this.scanner.takeKeyword('or')) items.push(this.and());
    const [only] = items;
    return items.length === 1 && only !== undefined ? only : { or: items };
  }

  private and(): Filter {
    const { scanner } = this;
    const items: Filter[] = [];
    for (;;) {
      scanner.skipBlanks();
      if (scanner.atEnd || scanner.peek() === ')' || scanner.seesKeyword('or')) break;
      if (scanner.takeKeyword('and')) {
        if (items.length === 0 || this.operandMissing()) {
          throw new Trouble(
            '"and" needs a condition on both sides.',
            scanner.position - 3,
            3,
            'To search the word, quote it.',
          );
        }
        continue;
      }
      items.push(this.unary());
    }
    const [only] = items;
    if (only === undefined) {
      throw new Trouble('A condition is missing here.', scanner.position, 1, 'Write e.g. service:checkout.');
    }
    return items.length === 1 ? only : { and: items };
  }

  private operandMissing(): boolean {
    this.scanner.skipBlanks();
    return this.scanner.atEnd || this.scanner.peek() === ')' || this.scanner.seesKeyword('or');
  }

  private unary(): Filter {
    const { scanner } = this;
    if (++this.depth > FILTER_LIMITS.depth * 2) {
      throw new Trouble('The search text is nested too deeply.', scanner.position, 1);
    }
    try {
      if (scanner.takeKeyword('not')) {
        scanner.skipBlanks();
        return { not: this.unary() };
      }
      if (scanner.peek() === '-' && !/\s/.test(scanner.peek(1))) {
        scanner.position++;
        return negate(this.primary());
      }
      return this.primary();
    } finally {
      this.depth--;
    }
  }

  private primary(): Filter {
    const { scanner } = this;
    if (scanner.peek() === '(') {
      const open = scanner.position++;
      const inner = this.or();
      scanner.skipBlanks();
      if (scanner.peek() !== ')') throw new Trouble('This "(" is never closed.', open, 1, 'Add a ")".');
      scanner.position++;
      return inner;
    }
    const start = scanner.position;
    const name = scanner.peek() === '"' ? undefined : this.fieldName();
    if (name === undefined) {
      scanner.position = start;
      return this.words();
    }
    const field = this.resolve(name, start);
    return this.condition(field, start);
  }

  /** A field name followed by an operator, or undefined when this is a word to search for. */
  private fieldName(): string | undefined {
    const { scanner } = this;
    let name = scanner.takeWhile(/[^\s:=<>!()"*]/);
    if (scanner.peek() === '"' && KEY_SOURCES.some((source) => name === `${source}.`)) {
      name += this.quoted();
    }
    return name !== '' && scanner.seesOperator() ? name : undefined;
  }

  private resolve(name: string, start: number): ResolvedField {
    const field = resolveField(name);
    const length = this.scanner.position - start;
    const tooLong = fieldTooLong(name);
    if (tooLong !== undefined) throw new Trouble(tooLong, start, length);
    if (field?.kind === 'key' && field.key === '') {
      throw new Trouble(
        `Behind "${name}" a key is missing.`,
        start,
        length,
        `Write e.g. ${name}${field.source === 'score' ? 'relevance:fail' : 'http.route:/pay'}.`,
      );
    }
    if (field === undefined) {
      const near = suggestFields(name, this.signal).map((one) => one.slice(0, 80));
      const meant = TIME.test(name)
        ? 'Times are chosen by the time range, not in the search. '
        : near.length === 0
          ? ''
          : `Did you mean ${orList(near)}? `;
      throw new Trouble(
        `There is no field "${name.slice(0, 80)}".`,
        start,
        length,
        `${meant}Words that contain ":" or "=" go in quotes.`,
      );
    }
    if (
      field.kind === 'named' &&
      this.signal !== undefined &&
      !field.definition.signals.includes(this.signal)
    ) {
      throw new Trouble(`The field "${name}" does not exist on ${this.signal}.`, start, length);
    }
    if (field.kind === 'key' && this.signal !== undefined && !hasSource(field.source, this.signal)) {
      const [why, hint] = withoutSource(field.source, this.signal);
      throw new Trouble(why, start, length, hint);
    }
    return field;
  }

  private condition(field: ResolvedField, start: number): Filter {
    const { scanner } = this;
    const operatorAt = scanner.position;
    const op = scanner.takeOperator();
    if (op === ':' && scanner.peek() === '(') return this.list(field, start);
    if (scanner.peek() === '~' && this.text[scanner.position - 1] === '=') {
      throw this.noMatchSign(
        this.text.slice(start, operatorAt),
        operatorAt,
        scanner.position + 1 - operatorAt,
      );
    }
    const value = this.value(operatorAt);
    if (value.bare) this.last = { number: field, start, end: scanner.position };
    const filter = valueCondition(field, op, value);
    try {
      canonicalFilter(filter, this.signal);
    } catch (error) {
      throw new Trouble((error as CandelaError).message, start, scanner.position - start);
    }
    return filter;
  }

  private value(operatorAt: number, inList = false): Value {
    const { scanner } = this;
    const before = scanner.position;
    const value = scanner.takeValue(inList);
    if (value === 'unclosed') {
      throw new Trouble('This quote is never closed.', before, 1, 'Add a closing ".');
    }
    if (value === undefined) {
      throw new Trouble(
        'A value is missing here.',
        operatorAt,
        1,
        'It stands right behind the sign, without a blank. Use "" for the empty text, * for any value.',
      );
    }
    if (value.bare && FOREIGN_QUOTE.test(this.text.charAt(before))) {
      throw new Trouble('This is no quote here.', before, 1, 'Values are quoted "like this".');
    }
    return value;
  }

  private list(field: ResolvedField, start: number): Filter {
    const { scanner } = this;
    const open = scanner.position++;
    const values: Value[] = [];
    for (;;) {
      scanner.skipBlanks();
      if (scanner.peek() === ')') break;
      if (scanner.atEnd) throw new Trouble('This "(" is never closed.', open, 1, 'Add a ")".');
      if (scanner.peek() === ',' || scanner.seesKeyword('or')) {
        if (scanner.peek() === ',') scanner.position++;
        else scanner.takeKeyword('or');
        continue;
      }
      if (scanner.seesKeyword('and') || scanner.seesKeyword('not')) {
        const name = this.text.slice(start, open);
        throw new Trouble(
          'A list is of values of which one has to fit.',
          scanner.position,
          3,
          `Join them with "or", or write the field with each: ${name}a ${name}b. To search for the word, quote it.`,
        );
      }
      values.push(this.value(scanner.position, true));
    }
    scanner.position++;
    if (values.length === 0) throw new Trouble('This list is empty.', open, 2, 'Write e.g. model:(a or b).');
    const singles = values.map((value) => valueCondition(field, ':', value));
    const plain = singles.filter((single) => 'field' in single && single.op === '=') as FilterCondition[];
    const filter: Filter =
      plain.length === singles.length
        ? {
            field: canonicalFieldName(field),
            op: 'in',
            value: plain.map((single) => single.value as FilterScalar),
          }
        : { or: singles };
    try {
      canonicalFilter(filter, this.signal);
    } catch (error) {
      throw new Trouble((error as CandelaError).message, start, scanner.position - start);
    }
    return filter;
  }

  private words(): Filter {
    const { scanner } = this;
    const start = scanner.position;
    const isQuoted = scanner.peek() === '"';
    const word = isQuoted ? this.quoted() : scanner.takeWhile(/[^\s()"]/);
    const nothing = () =>
      new Trouble('There is nothing to search for here.', start, scanner.position - start, 'Write a word.');
    if (word.trim() === '') throw nothing();
    if (!isQuoted) this.refuseForeign(word, start);
    if (this.signal !== undefined && !FIELDS.text.signals.includes(this.signal)) {
      throw new Trouble(
        `Words without a field find nothing in ${this.signal}.`,
        start,
        scanner.position - start,
        'Name one, e.g. service:checkout or attributes.http.route:/pay.',
      );
    }
    if (isQuoted || !word.includes('*')) return literalWords('text', word);
    const parts = piecesOccur('text', word.split('*'));
    if (parts === undefined) throw nothing();
    return parts;
  }

  /**
   * What is meant as a sign, by habit of another language, would be searched for as a word and find nothing, or the
   * opposite. @throws Trouble that says how it is written here
   */
  private refuseForeign(word: string, start: number): void {
    const { last, scanner, text } = this;
    const { length } = word;
    this.last = { word, start, end: scanner.position };
    const joining = JOINING.get(word);
    if (joining !== undefined) {
      throw new Trouble(
        `"${word}" is written ${joining} here.`,
        start,
        length,
        'To search for the sign, quote it.',
      );
    }
    if (/^!+[^!=~]/.test(word) || (/^!+$/.test(word) && /["(]/.test(scanner.peek()))) {
      throw new Trouble(
        '"!" negates nothing here.',
        start,
        1,
        'Write - or not. To search for the sign, quote it.',
      );
    }
    const [matching, name = ''] = /^([^~!]+)!?~/.exec(word) ?? [];
    if (matching !== undefined && resolveField(name) !== undefined) {
      throw this.noMatchSign(name, start + name.length, matching.length - name.length);
    }
    if (last === undefined || !/^\s+$/.test(text.slice(last.end, start))) return;
    if (last.number !== undefined) this.refuseUnit(word, last.number, last.start, last.end);
    const sign = SIGN.exec(word)?.[0];
    if (sign === undefined || last.word === undefined || resolveField(last.word) === undefined) return;
    const value = /^\s*("[^"]*"|[^\s()]{1,80})/.exec(text.slice(start + sign.length))?.[1] ?? '…';
    throw new Trouble(
      'A condition has no blanks around its sign.',
      last.start,
      scanner.position - last.start,
      `Write ${last.word}${sign}${value}. To search for the words, quote them.`,
    );
  }

  /** `duration>2 s`: a unit that stands alone. @throws Trouble */
  private refuseUnit(word: string, field: ResolvedField, start: number, end: number): void {
    const type = fieldType(field);
    const condition = this.text.slice(start, end);
    if ((type !== 'duration' && type !== 'bytes') || !/\d$/.test(condition)) return;
    if (!/^[a-zµ]/i.test(word) || readNumber(type, `1${word}`) === undefined) return;
    throw new Trouble(
      'A unit stands right behind its number.',
      start,
      this.scanner.position - start,
      `Write ${condition}${word}. To search for the word, quote it.`,
    );
  }

  private noMatchSign(name: string, position: number, length: number): Trouble {
    const sign = this.text.slice(position, position + length);
    const hint = `A regular expression is written ${name.slice(0, 80)}:/expression/; a text goes in quotes.`;
    return new Trouble(`There is no sign "${sign}".`, position, length, hint);
  }

  private quoted(): string {
    const start = this.scanner.position;
    const text = this.scanner.takeQuoted();
    if (text === undefined) throw new Trouble('This quote is never closed.', start, 1, 'Add a closing ".');
    return text;
  }
}
