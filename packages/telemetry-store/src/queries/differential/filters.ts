import {
  canonicalFilter,
  FIELDS,
  type FieldDefinition,
  type Filter,
  type FilterCondition,
  parseFilter,
  printFilter,
  resolveField,
  type RecordKind,
} from '@candela/contract';
import { BASE, ENVIRONMENTS, LAST_INSTANT } from './traffic.ts';
import { type Asked, type Row, shownOf } from './model.ts';
import type { Random } from './random.ts';

const KEYS = [
  'attributes.http.route',
  'attributes.http.response.status_code',
  'attributes.odd key',
  'attributes.n',
  'attributes.size',
  'attributes.toString',
  'attributes.nobody has this',
  'attributes.gen_ai.input.messages',
  'resource.service.version',
  'scope.side',
];
const TEXT_OPS = ['=', '!=', 'in', 'not_in', 'exists', 'not_exists', 'contains', 'not_contains'] as const;
const PATTERN_OPS = ['starts_with', 'ends_with', 'matches', 'regex'] as const;
const ORDER_OPS = ['>', '>=', '<', '<=', 'between'] as const;
const REGEXES = [
  '^GET',
  '(?i)cart',
  '[äöü]',
  '\\d+',
  '^$',
  'a.b',
  '(?i)größe|refund',
  '\\\\',
  '/',
  '^[^a-z]*$',
];
const PHRASES = [
  'refund',
  'REFUND order',
  'größe',
  'no such',
  'e-mail',
  '100%',
  '#1',
  '\u{1F600}',
  'nothing holds this',
];

/** Who said a text the engine reads out of JSON: `role-texts.platform.test.ts` holds that against the conventions. */
export const BY_SPEAKER: ReadonlySet<string> = new Set([
  'user_said',
  'assistant_said',
  'system_prompt',
  'tool_result',
]);

/** Fields that a signal is filtered by: all others of the contract's, and keys. */
export const fieldsOf = (signal: RecordKind): string[] => [
  ...Object.entries(FIELDS as Readonly<Record<string, FieldDefinition>>)
    .filter(([name, { signals }]) => signals.includes(signal) && !BY_SPEAKER.has(name))
    .map(([name]) => name),
  ...(signal === 'exceptions' ? [] : KEYS),
];

/** Any filter that the language has, mostly of values that rows have. */
export function anyFilter(random: Random, signal: RecordKind, rows: readonly Row[], depth = 0): Filter {
  const part = random.next();
  if (depth < 3 && part < 0.45) {
    const parts = () =>
      Array.from({ length: random.int(2, 3) }, () => anyFilter(random, signal, rows, depth + 1));
    if (part < 0.2) return { and: parts() };
    if (part < 0.35) return { or: parts() };
    return { not: anyFilter(random, signal, rows, depth + 1) };
  }
  return condition(random, signal, random.pick(fieldsOf(signal)), rows);
}

function condition(random: Random, signal: RecordKind, name: string, rows: readonly Row[]): FilterCondition {
  const field = resolveField(name);
  if (field === undefined) throw new RangeError(name);
  const row = rows.length > 0 && random.chance(0.85) ? random.pick(rows) : undefined;
  if (field.kind === 'named') {
    const { type, values = [], ordered }: FieldDefinition = field.definition;
    if (type === 'text') return ofWords(random, name);
    if (type === 'boolean') return { field: name, op: random.pick(['=', '!=']), value: random.chance(0.5) };
    if (type === 'enum') {
      const op = random.pick([
        '=',
        '!=',
        'in',
        'not_in',
        ...(ordered === true ? ORDER_OPS.slice(0, 4) : []),
      ] as const);
      const many = op === 'in' || op === 'not_in';
      return { field: name, op, value: many ? random.some(values, 1, 3) : random.pick(values) };
    }
    if (type !== 'string') {
      const stored = row?.number[name] ?? random.pick([0, 1, 1.001, 0.25, 1e9, -1]);
      return ofNumber(random, name, name === 'duration_ms' && row !== undefined ? stored / 1e6 : stored);
    }
  }
  const value = row === undefined ? random.pick(['', 'none', '*', 'GET', '5']) : shownOf(row, name);
  if (field.kind === 'key' && random.chance(0.25))
    return ofNumber(random, name, Number(value) || 5, ORDER_OPS);
  return ofText(random, name, value, () => (rows.length === 0 ? '' : shownOf(random.pick(rows), name)));
}

function ofNumber(
  random: Random,
  field: string,
  value: number,
  ops: readonly FilterCondition['op'][] = [...ORDER_OPS, '=', '!=', 'in', 'not_in', 'exists', 'not_exists'],
): FilterCondition {
  const op = random.pick(ops);
  if (op === 'exists' || op === 'not_exists') return { field, op };
  const near = random.pick([value, value, value + 1, value * 2, value - 0.5]);
  if (op === 'between') return { field, op, value: [Math.min(value, near), Math.max(value, near)] };
  return { field, op, value: op === 'in' || op === 'not_in' ? [value, near] : near };
}

function ofText(random: Random, field: string, value: string, another: () => string): FilterCondition {
  const op = random.pick([...TEXT_OPS, ...PATTERN_OPS]);
  if (op === 'exists' || op === 'not_exists') return { field, op };
  if (op === '=' || op === '!=') return { field, op, value };
  if (op === 'in' || op === 'not_in')
    return { field, op, value: [value, another(), another()].slice(0, random.int(1, 3)) };
  if (op === 'regex') return { field, op, value: random.pick(REGEXES) };
  const letters = [...(value === '' ? 'a' : value)];
  const from = op === 'starts_with' ? 0 : random.int(0, letters.length - 1);
  const to = op === 'ends_with' ? letters.length : random.int(from + 1, letters.length);
  const cut = letters.slice(from, to).join('');
  const part = random.chance(0.3) ? cut.toUpperCase() : cut;
  if (op !== 'matches') return { field, op, value: part };
  const literal = part.replaceAll(/[\\*]/g, (one) => `\\${one}`);
  return {
    field,
    op,
    value: random.pick([
      `*${literal}*`,
      `${literal}*`,
      `*${literal}`,
      `*${literal}*${letters.at(-1) === '\\' ? '' : letters.at(-1)}`,
      literal,
    ]),
  };
}

function ofWords(random: Random, field: string): FilterCondition {
  const op = random.pick(['exists', 'not_exists', 'matches', 'contains', 'not_contains', 'regex'] as const);
  if (op === 'exists' || op === 'not_exists') return { field, op };
  return { field, op, value: random.pick(op === 'regex' ? REGEXES : PHRASES) };
}

const MINUTE = 60_000_000_000n;

/** A window: of all time, of hours, of less than a bucket, with edges on and beside those of buckets. */
export function anyWindow(random: Random): Asked['window'] {
  const part = random.next();
  if (part < 0.1) return { from: random.pick([0n, 0n, 4_294_967_296_000_000_000n]), to: LAST_INSTANT };
  if (part < 0.15)
    return {
      from: random.pick([0n, 1n, BASE]),
      to: random.pick([BASE + 1n, 4_294_967_296_000_000_001n, LAST_INSTANT]),
    };
  if (part < 0.3) {
    const from = BASE + 3_600_000_000_000n * BigInt(random.int(-600, 400)) + BigInt(random.int(-1, 1));
    return { from, to: from + 3_600_000_000_000n * BigInt(random.int(1, 700)) };
  }
  const point = () => {
    const edge = BASE + 5n * MINUTE * BigInt(random.int(-6, 42));
    return random.chance(0.5)
      ? edge + random.pick([-1n, 0n, 1n, 1_000_000n])
      : edge + BigInt(random.int(0, 299_999)) * 1_000_000n;
  };
  const [a, b] = [point(), point()];
  return a < b ? { from: a, to: b } : { from: b, to: a + 1n };
}

/** What may be asked of rows of a signal. @throws when a filter changes on its way through the text */
export function anyAsked(random: Random, signal: RecordKind, rows: readonly Row[]): Asked {
  const filter = random.chance(0.2) ? undefined : anyFilter(random, signal, rows);
  return {
    environment: random.chance(0.6) ? undefined : random.pick(ENVIRONMENTS),
    window: anyWindow(random),
    filter: filter && throughText(filter, signal),
  };
}

/** The filter as it comes back from the text that it is shown as. */
function throughText(filter: Filter, signal: RecordKind): Filter {
  const text = printFilter(filter);
  const parsed = parseFilter(text, signal);
  const [wanted, got] = [canonicalFilter(filter, signal), parsed.ok ? parsed.filter : parsed.error];
  if (JSON.stringify(wanted) !== JSON.stringify(got)) {
    throw new Error(`${JSON.stringify(wanted)} is shown as ${text}, which means ${JSON.stringify(got)}`);
  }
  return wanted;
}
