import {
  compile,
  type Condition,
  type Fields,
  type FieldValue,
  OPERATORS,
  prepare,
  type Rule,
  validate,
} from '@candela/rules';
import { RULE_CASES } from '@candela/rules/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runner } from '../core/run.ts';
import { Scope } from '../core/scope.ts';
import { contextOf, id, LIMITS, openQueryBench, type QueryBench, span } from '../core/testing.ts';
import { SPANS } from '../spans/span-fields.ts';
import { createRuleQueries } from './index.ts';
import { spanFields } from './rule-fields.ts';

let bench: QueryBench;
beforeAll(async () => {
  bench = await openQueryBench();
});
afterAll(() => bench.close());

/** Spans are put in under a project a test, so that tests do not see each other's. */
async function putFields(project: string, all: readonly Fields[]): Promise<void> {
  await bench.put(
    all.map((fields, index) => span(index + 1, index + 1, index, { attributes: Object.fromEntries(fields) })),
    { project },
  );
}

/** What SQL says of each rule for each span of the project: span ids by rule. */
async function askSql(project: string, rules: readonly Rule[]): Promise<Set<string>[]> {
  const scope = Scope.of(contextOf(project), SPANS);
  const { params } = scope;
  const conditions = rules.map(
    (rule) => compile(rule, spanFields(params), (value, type) => params.bind(value, type)).sql,
  );
  const rows = await runner(bench.store, LIMITS, 'list').run<{ SpanId: string; R: number[] }>(
    scope,
    `SELECT SpanId, CAST([${conditions.join(', ')}], 'Array(UInt8)') AS R ${scope.from}`,
  );
  return rules.map((_, index) => new Set(rows.filter(({ R }) => R[index] === 1).map(({ SpanId }) => SpanId)));
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) =>
    items.slice(n * size, (n + 1) * size),
  );
}

describe('the shared table', () => {
  it('says the same in SQL, of each case and of all its rows together', async () => {
    const rows = RULE_CASES.map(({ fields }) => fields);
    await putFields('table', rows);
    const rules = [...new Map(RULE_CASES.map(({ rule }) => [JSON.stringify(rule), rule])).values()];
    const differences: unknown[] = [];
    let asked = 0;
    for (const some of chunks(rules, 20)) {
      const answers = await askSql('table', some);
      for (const [index, rule] of some.entries()) {
        const prepared = prepare(rule);
        for (const [row, fields] of rows.entries()) {
          asked++;
          const evaluator = prepared.matches(fields);
          const sql = answers[index]?.has(id(row + 1, 16));
          if (evaluator !== sql)
            differences.push({ rule: JSON.stringify(rule), fields: [...fields], evaluator, sql });
        }
      }
    }
    expect(differences.slice(0, 5)).toEqual([]);
    expect(asked).toBeGreaterThan(30_000);
    for (const [row, { name, rule, expected }] of RULE_CASES.entries()) {
      if (prepare(rule).matches(rows[row] ?? new Map()) !== expected) throw new Error(name);
    }
  });
});

describe('large expressions', () => {
  it.each(['\\pL{290}', '\\PL{290}', '(?i)[\\pL\\pN]{290}', '[^\\pL\\pN\\pS]{290}', '\\pL\\PN'.repeat(140)])(
    'that a rule takes are none too large for the engine (%#)',
    async (value) => {
      const rule = singleRegex(value);
      expect(validate(rule)).toEqual([]);
      await putFields('large', [new Map([['f', 'é'.repeat(300)]])]);
      const [found] = await askSql('large', [rule]);
      expect(found?.size === 1).toBe(prepare(rule).matches(new Map([['f', 'é'.repeat(300)]])));
    },
  );
});

const singleRegex = (value: string): Rule => ({
  groupOperator: 'AND',
  groups: [{ operator: 'AND', conditions: [{ field: 'f', operator: 'regex', value, dataType: 'string' }] }],
});

/** Texts that break something somewhere: numbers in every spelling, quotes, control characters, Unicode, blanks. */
const texts = fc
  .oneof(
    fc.constantFrom(
      '',
      ' ',
      'a',
      'ab',
      'AB',
      'a,b',
      ' a ',
      '0',
      '-0',
      '1',
      '01',
      '1.0',
      '1e3',
      '.5',
      '5.',
      '+5',
      '1e400',
      '-1e-400',
      'inf',
      '-inf',
      'nan',
      'NaN',
      '0x1F',
      '1_000',
      '1,5',
      ' 1',
      'true',
      'false',
      'True',
      'null',
      "it's",
      '"',
      '\\',
      '\\n',
      '`',
      '%',
      '_',
      '{p0:String}',
      '--',
      '\u00e9',
      'e\u0301',
      '\u212a',
      '😀',
      '\u{d83d}',
      'ſ',
      'İ',
    ),
    fc.double().map(String),
    fc.integer().map(String),
    fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map(String),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.string({ unit: fc.constantFrom(...'ab.*^$\\ \t\n\r\u0001\u001b\'"`,;%_é😀019-+eE'), maxLength: 12 }),
    fc.string({ unit: fc.constantFrom(...'0123456789.eE+-'), maxLength: 8 }),
  )
  .map((text) => text.replaceAll('\0', ''));
const values: fc.Arbitrary<FieldValue> = fc.oneof(
  { weight: 4, arbitrary: texts },
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 1, 0.1, 1e21, 1e-7, 123456789012, 5e-324, 1.7976931348623157e308),
);

/** Expressions put together from parts, so that most of them are valid and say something of the texts above. */
const atoms = fc.constantFrom(
  'a',
  'b',
  '.',
  '\\d',
  '\\w',
  '\\s',
  '\\D',
  '\\W',
  '\\S',
  '[a-c]',
  '[^a]',
  '[\\d.]',
  '\\b',
  '\\B',
  '^',
  '$',
  '\\A',
  '\\z',
  '(?i)k',
  '(?s).',
  '(?m)^',
  '(?m)$',
  '\\pL',
  '\\p{Greek}',
  '\\PN',
  '[[:alpha:]]',
  '[[:^digit:]]',
  'é',
  '😀',
  '\\.',
  '\\\\',
  "'",
  '"',
  ' ',
  '\n',
  '\\n',
  '\\t',
  '\\x{e9}',
  '\\Q.\\E',
  '-',
  ',',
  '(?U)a+',
  'e\u0301',
);
const expressions = fc
  .array(fc.tuple(atoms, fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,2}', '*?', '+?', '|')), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) =>
    parts
      .map(([atom, repeat]) =>
        repeat === '' || repeat === '|' ? `${atom}${repeat}` : `(?:${atom})${repeat}`,
      )
      .join(''),
  );

const FIELDS = ['attributes.f', 'g', 'h', 'it\'s "odd" \\ {p1:String}'] as const;
const condition: fc.Arbitrary<Condition> = fc
  .constantFrom(
    ...OPERATORS.flatMap(({ id: operator, types }) =>
      Object.keys(types).map((dataType) => ({ operator, dataType: dataType as Condition['dataType'] })),
    ),
  )
  .chain(({ operator, dataType }) => {
    const value =
      operator === 'regex'
        ? expressions
        : dataType === 'boolean'
          ? fc.constantFrom('true', 'false')
          : operator === 'in' || operator === 'not_in'
            ? fc.array(texts, { minLength: 1, maxLength: 4 }).map((items) => items.join(' , '))
            : operator === 'between'
              ? fc
                  .tuple(fc.double({ noNaN: true }), fc.double({ noNaN: true }))
                  .map((pair) => pair.sort((a, b) => a - b).join(','))
              : texts;
    return fc.record({
      field: fc.constantFrom(...FIELDS),
      operator: fc.constant(operator),
      dataType: fc.constant(dataType),
      value,
    });
  })
  .filter(
    (made) =>
      validate({ groupOperator: 'AND', groups: [{ operator: 'AND', conditions: [made] }] }).length === 0,
  );
const joiner = fc.constantFrom('AND' as const, 'OR' as const);
const rule: fc.Arbitrary<Rule> = fc.record({
  groupOperator: joiner,
  groups: fc.array(
    fc.record({ operator: joiner, conditions: fc.array(condition, { minLength: 1, maxLength: 3 }) }),
    { maxLength: 3 },
  ),
});
/** Rows take their values from what the rules ask for too, else hardly anything would ever be equal. */
const scenario = fc.array(rule, { minLength: 40, maxLength: 40 }).chain((rules) => {
  const asked = rules.flatMap(({ groups }) =>
    groups.flatMap((group) => group.conditions.flatMap(({ value }) => [value, ...value.split(',')])),
  );
  const row = fc.dictionary(
    fc.constantFrom(...FIELDS.map((field) => field.replace('attributes.', ''))),
    fc.oneof(values, fc.constantFrom('', ...asked)),
  );
  return fc.record({ rules: fc.constant(rules), rows: fc.array(row, { minLength: 60, maxLength: 60 }) });
});

const SEED = Number(process.env['RULES_SEED'] ?? 20_261_122);
const ROUNDS = Number(process.env['RULES_ROUNDS'] ?? 12);

describe('random rules over random rows', () => {
  it('say the same in SQL as in the evaluator', async () => {
    let round = 0;
    let asked = 0;
    let matched = 0;
    for (const { rules, rows } of fc.sample(scenario, { seed: SEED, numRuns: ROUNDS })) {
      const project = `random-${round++}`;
      const attributes = rows.map((row) => new Map(Object.entries(row)));
      await putFields(project, attributes);
      const answers = await askSql(project, rules);
      for (const [index, one] of rules.entries()) {
        const prepared = prepare(one);
        for (const [row, given] of attributes.entries()) {
          // The evaluator is asked by the names of the rule: `attributes.f` is `f` of the span.
          const f = given.get('f');
          const fields = f === undefined ? given : new Map([...given, ['attributes.f', f]]);
          const evaluator = prepared.matches(fields);
          const sql = answers[index]?.has(id(row + 1, 16)) === true;
          asked++;
          if (sql) matched++;
          if (evaluator !== sql)
            expect({ one, fields: [...fields], says: sql }).toEqual({
              one,
              fields: [...fields],
              says: evaluator,
            });
        }
      }
    }
    expect(asked).toBe(ROUNDS * 40 * 60);
    // Neither hardly ever nor nearly always: else the comparison would say little.
    expect(matched / asked).toBeGreaterThan(0.1);
    expect(matched / asked).toBeLessThan(0.9);
  });

  it('are of a span what the evaluator says of its fields as they are read back', async () => {
    const queries = createRuleQueries(bench.store, LIMITS);
    const names = [...FIELDS, 'service', 'duration_ms', 'ServiceName', 'SpanKind', 'absent', 'service.name'];
    const [given] = fc.sample(scenario, { seed: SEED, numRuns: 1 });
    for (const [row, attributes] of (given?.rows ?? []).slice(0, 10).entries()) {
      const fields = await queries.spanFields(
        contextOf('random-0'),
        { traceId: id(row + 1, 32), spanId: id(row + 1, 16) },
        names,
      );
      expect(fields.has('absent')).toBe(false);
      expect(fields.get('ServiceName')).toBe('shop');
      expect(fields.get('service.name')).toBe('shop');
      expect(fields.get('SpanKind')).toBe('Server');
      expect(fields.get('duration_ms')).toBe('5');
      expect(fields.has('g')).toBe('g' in attributes);
    }
  });
});
