import { type CandelaError, fail } from '@candela/kernel';
import { FILTER_LIMITS, type Filter, type FilterCondition, type FilterScalar } from './ast.ts';
import { canonicalFieldName, canonicalFilter, fieldTooLong } from './canonical.ts';
import { FIELDS, orList, type ResolvedField, resolveField, type Signal, suggestFields } from './fields.ts';
import { KEY_SOURCES } from './keys.ts';
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
export function parseFilter(text: string, signal?: Signal): ParsedFilter {
  try {
    return { ok: true, filter: new Parser(text, signal).parse() };
  } catch (error) {
    if (error instanceof Trouble) return { ok: false, error: error.error };
    throw error;
  }
}

/** As {@link parseFilter}, for the server. @throws bad_query whose details hold position, length and hint */
export function parseFilterOrFail(text: string, signal?: Signal): Filter | undefined {
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

class Parser {
  private readonly scanner: Scanner;
  private readonly signal: Signal | undefined;
  private readonly text: string;
  private depth = 0;

  constructor(text: string, signal: Signal | undefined) {
    this.text = text;
    this.scanner = new Scanner(text);
    this.signal = signal;
  }

  parse(): Filter | undefined {
    const { scanner } = this;
    if (this.text.length > FILTER_LIMITS.textLength) {
      throw new Trouble(`The search text is longer than ${FILTER_LIMITS.textLength} characters.`, 0, 1);
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
    if (field === undefined || (field.kind === 'key' && field.key === '')) {
      const near = suggestFields(name, this.signal).map((one) => one.slice(0, 80));
      const meant = near.length === 0 ? '' : `Did you mean ${orList(near)}? `;
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
    if (field.kind === 'key' && this.signal === 'exceptions') {
      const hint = 'Search the spans or logs for it.';
      throw new Trouble(`Exceptions are not searched by "${field.source}".`, start, length, hint);
    }
    return field;
  }

  private condition(field: ResolvedField, start: number): Filter {
    const { scanner } = this;
    const operatorAt = scanner.position;
    const op = scanner.takeOperator();
    if (op === ':' && scanner.peek() === '(') return this.list(field, start);
    const value = this.value(operatorAt);
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
        'Use "" for the empty text, * for any value.',
      );
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

  private quoted(): string {
    const start = this.scanner.position;
    const text = this.scanner.takeQuoted();
    if (text === undefined) throw new Trouble('This quote is never closed.', start, 1, 'Add a closing ".');
    return text;
  }
}
