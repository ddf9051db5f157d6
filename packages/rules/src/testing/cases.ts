import type { Condition, DataType, Joiner, OperatorId, Rule } from '../rule.ts';
import type { FieldValue } from '../values.ts';

/** One rule, the fields it is asked about, and what it must say: in the evaluator and in SQL. */
export interface RuleCase {
  readonly name: string;
  readonly rule: Rule;
  readonly fields: ReadonlyMap<string, FieldValue>;
  readonly expected: boolean;
}

/** The field that the tables of single conditions look at. */
const FIELD = 'gen_ai.request.model';
const ABSENT = Symbol('absent');

type Asked = FieldValue | typeof ABSENT;

interface Table {
  readonly operator: OperatorId;
  readonly dataType: DataType;
  readonly value: string;
  readonly yes: readonly Asked[];
  readonly no: readonly Asked[];
}

const LONG = 'x'.repeat(20_000);
/** `é` as one code point and as two. */
const COMPOSED = '\u00e9';
const DECOMPOSED = 'e\u0301';
const CONTROL = '\t\n\r\u0001\u001b\u007f\u2028';
const QUOTES = `it's "quoted" \\ \`back\` \\' -- /* */ {p0:String} %s %_`;

const text = (operator: OperatorId, value: string, yes: readonly Asked[], no: readonly Asked[]): Table => ({
  operator,
  dataType: 'string',
  value,
  yes,
  no: [...no, ABSENT],
});
const number = (operator: OperatorId, value: string, yes: readonly Asked[], no: readonly Asked[]): Table => ({
  operator,
  dataType: 'number',
  value,
  yes,
  no: [...no, ...NO_NUMBERS, ABSENT],
});

const NO_NUMBERS: readonly Asked[] = [
  '',
  'many',
  '1,000',
  ' 5',
  '5 ',
  '0x10',
  'Infinity',
  'inf',
  'nan',
  '1e400',
  true,
];

const TABLES: readonly Table[] = [
  text('equals', 'gpt-4o', ['gpt-4o'], ['GPT-4o', 'gpt-4o ', ' gpt-4o', 'gpt-4', '', 'gpt-4o\n']),
  text('equals', ' padded ', [' padded '], ['padded']),
  text('equals', '', [''], [' ', '0', false]),
  text('equals', '1', ['1', 1, -(-1)], ['1.0', '01', true]),
  text('equals', '0', [0, -0, '0'], ['-0', false]),
  text('equals', '1e+21', [1e21, '1e+21'], ['1e21']),
  text('equals', '100000000000000000000', [1e20], ['1e20']),
  text('equals', '0.1', [0.1, '0.1'], ['.1']),
  text('equals', '1e-7', [1e-7], ['0.0000001']),
  text('equals', 'true', [true, 'true'], ['True', 1, '1']),
  text('equals', COMPOSED, [COMPOSED], [DECOMPOSED, 'e']),
  text('equals', '😀', ['😀'], ['😁', '\u{d83d}']),
  text('equals', CONTROL, [CONTROL], [CONTROL.trim()]),
  text('equals', QUOTES, [QUOTES], [QUOTES.replace('\\', '')]),
  text('equals', "' OR 1=1 --", ["' OR 1=1 --"], ['1', '']),
  text('equals', '{p0:String}', ['{p0:String}'], ['{p1:String}']),
  text('equals', LONG.slice(0, 10_000), [LONG.slice(0, 10_000)], [LONG]),
  text('not_equals', 'gpt-4o', ['GPT-4o', '', 'claude'], ['gpt-4o']),
  text('not_equals', '', ['a', ' '], ['']),
  text('not_equals', '1', ['1.0', true], [1, '1']),
  text('contains', '4o', ['gpt-4o', '4o', '4o-mini', `${LONG}4o`], ['gpt-4', 'gpt-4O', '']),
  text('contains', '%', ['100%', '%'], ['100', '_']),
  text('contains', '_', ['a_b'], ['a-b']),
  text('contains', '\\', ['a\\b'], ['a/b']),
  text('contains', '\n', ['a\nb'], ['a\\nb', 'ab']),
  text('contains', '.', ['a.b', 0.5], ['ab', 5]),
  text('contains', '😀', ['hi 😀!'], ['hi']),
  text('contains', '\u0301', [DECOMPOSED], [COMPOSED]),
  text('not_contains', '4o', ['gpt-4', ''], ['gpt-4o']),
  text('not_contains', "'", ['plain'], ["it's"]),
  text('starts_with', 'gpt', ['gpt', 'gpt-4'], ['GPT', ' gpt', '', 'a gpt']),
  text('starts_with', '^', ['^a'], ['a']),
  text('starts_with', '-', [-1, '-'], [1]),
  text('starts_with', '😀', ['😀a'], ['\u{d83d}', 'a😀']),
  text('ends_with', 'mini', ['mini', 'gpt-mini'], ['minis', 'MINI', '']),
  text('ends_with', '$', ['a$'], ['a']),
  text('ends_with', '\n', ['a\n'], ['a', 'a\n ']),
  text('in', 'a, b ,c', ['a', 'b', 'c'], ['A', ' b', 'b ', 'a, b ,c', '', 'd']),
  text('in', ' gpt-4o ,, ', ['gpt-4o'], ['', ' gpt-4o ']),
  text('in', 'it\'s,"x",\\,[1]', ["it's", '"x"', '\\', '[1]'], ['x', "it''s"]),
  text('in', '1,2.5,true', [1, 2.5, '2.5', true], ['2.50', 'TRUE']),
  text('in', `é,${DECOMPOSED},😀`, ['é', DECOMPOSED, '😀'], ['e']),
  text('not_in', 'a, b', ['c', '', ' a', 'A'], ['a', 'b']),
  text('not_in', '1', [2, '1.0'], [1, '1']),
  text('regex', 'gpt-4', ['gpt-4', 'my gpt-4o', 'x\ngpt-4'], ['gpt4', 'GPT-4', '']),
  text('regex', '^gpt-(4|5)', ['gpt-4o', 'gpt-5'], ['gpt-3', ' gpt-4', 'x\ngpt-4']),
  text('regex', 'mini$', ['gpt-mini'], ['mini ', 'mini\n', 'mini\nx']),
  text('regex', '(?i)GPT', ['gpt', 'GpT'], ['gp t']),
  text('regex', 'a.b', ['a.b', 'axb', 'a😀b', 'aéb'], ['ab', 'a\nb', `a${DECOMPOSED}b`]),
  text('regex', '(?s)a.b', ['a\nb'], ['ab']),
  text('regex', 'a.b|q', ['axb', 'q'], ['a\nb']),
  text('regex', '(?m)^b$', ['a\nb\nc'], ['ab']),
  text('regex', '^$', [''], [' ', '\n']),
  text('regex', '^\\s+$', [' ', '\t\n'], ['', 'a', '\u00a0']),
  text('regex', '^\\d+$', ['123', 42], ['12a', '1.5', '١٢']),
  text('regex', '\\bword\\b', ['a word.', 'word'], ['words', 'sword', 'wordé1'.replace('é', '_')]),
  text('regex', '^\\w+$', ['abc_1'], ['é', 'a b']),
  text('regex', '\\p{Greek}', ['αβγ'], ['abc']),
  text('regex', '^\\pL+$', ['héllo', 'αβγ', '漢字'], ['a1', '']),
  text('regex', '[^a-z]', ['A', 'é', '\n', '😀'], ['abc', '']),
  text('regex', '^.{2}$', ['ab', '😀😀', DECOMPOSED], ['a', '😀', 'abc']),
  text('regex', '\\x41\\x{1F600}', ['A😀'], ['A']),
  text('regex', '\\Qa.b\\E', ['a.b'], ['axb']),
  text('regex', '(?P<x>a)+?b', ['aab'], ['b']),
  text('regex', '[\'"\\\\]', ["it's", '"', '\\'], ['plain']),
  text('regex', '(a+)+$', ['aaaa', `${LONG}a`], [`${'a'.repeat(5_000)}!`]),
  text('regex', '(?U)a{2,3}', ['aa', 'xaaa'], ['a']),
  text('regex', 'k', ['k'], ['K', '\u212a']),
  text('regex', '(?i)k', ['k', 'K', '\u212a'], ['x']),
  text('regex', '(?i)ß', ['ß', 'ẞ'], ['ss']),
  number('equals', '0.5', [0.5, '0.5', '.5', '+0.5', '5e-1', '0.50', '500e-3'], [0.51, '-0.5']),
  number('equals', ' 5 ', [5, '5', '5.', '05', '5.0'], [4]),
  number('equals', '0', [0, -0, '-0', '0.000', '1e-400'], [1e-300, '']),
  number('equals', '0.30000000000000004', [0.1 + 0.2], [0.3, '0.3']),
  number('equals', '9007199254740993', ['9007199254740992', '9007199254740993'], ['9007199254740994']),
  number('equals', '1e21', [1e21, '1000000000000000000000'], [1e20]),
  number('not_equals', '5', [4, '5.1', '-5'], [5, '5.0']),
  number('gt', '10', [10.5, '11', 1e308], [10, 9, '-11']),
  number('gt', '-1', [0, '-0.5'], [-1, -2]),
  number('gte', '10', [10, '10.0', 11], [9.999]),
  number('lt', '10', [9, -1e308, '9.999999'], [10, 11]),
  number('lte', '10', [10, '1e1', 0], ['10.000001']),
  number('between', '1,3', [1, 2, 3, '2.5'], [0.999, 3.001, '-2']),
  number('between', ' -0.5 , .5', [0, -0.5, 0.5], [0.51]),
  number('between', '2,2', [2], [2.1]),
  {
    operator: 'equals',
    dataType: 'boolean',
    value: 'true',
    yes: [true, 'true'],
    no: [false, 'false', 'True', 'TRUE', '1', 1, 'yes', '', ' true', ABSENT],
  },
  {
    operator: 'equals',
    dataType: 'boolean',
    value: ' false ',
    yes: [false, 'false'],
    no: [true, 'False', 0, '0', 'no', '', ABSENT],
  },
];

function single(table: Table, asked: Asked, expected: boolean): RuleCase {
  const { operator, dataType, value } = table;
  const shown = asked === ABSENT ? 'absent' : JSON.stringify(asked).slice(0, 40);
  return {
    name: `${dataType} ${operator} ${JSON.stringify(value).slice(0, 40)}: ${shown} is ${expected}`,
    rule: {
      groupOperator: 'AND',
      groups: [{ operator: 'AND', conditions: [{ field: FIELD, operator, value, dataType }] }],
    },
    fields: new Map(asked === ABSENT ? [] : [[FIELD, asked]]),
    expected,
  };
}

const A: Condition = { field: 'a', operator: 'equals', value: '1', dataType: 'string' };
const B: Condition = { field: 'b', operator: 'gt', value: '1', dataType: 'number' };
const C: Condition = { field: 'c', operator: 'not_equals', value: 'x', dataType: 'string' };
const FIELD_SETS: readonly Readonly<Record<string, FieldValue>>[] = [
  { a: 1, b: 2, c: 'y' },
  { a: 1, b: 2, c: 'x' },
  { a: 1, b: 2 },
  { a: 1, b: 0, c: 'y' },
  { a: 1 },
  { b: 2 },
  { c: 'y' },
  { a: 2, b: 1, c: 'x' },
  {},
];

/** What the joined conditions must say, worked out with the plain operators of the language. */
function joined(): RuleCase[] {
  const cases: RuleCase[] = [];
  for (const groupOperator of ['AND', 'OR'] satisfies Joiner[]) {
    for (const operator of ['AND', 'OR'] satisfies Joiner[]) {
      for (const record of FIELD_SETS) {
        const a = record['a'] === 1;
        const b = typeof record['b'] === 'number' && record['b'] > 1;
        const c = record['c'] === 'y';
        const first = operator === 'AND' ? a && b : a || b;
        cases.push({
          name: `(a ${operator} b) ${groupOperator} (c) of ${JSON.stringify(record)}`,
          rule: {
            groupOperator,
            groups: [
              { operator, conditions: [A, B] },
              { operator, conditions: [C] },
            ],
          },
          fields: new Map(Object.entries(record)),
          expected: groupOperator === 'AND' ? first && c : first || c,
        });
      }
    }
  }
  for (const groupOperator of ['AND', 'OR'] satisfies Joiner[]) {
    cases.push({
      name: `no groups, ${groupOperator}`,
      rule: { groupOperator, groups: [] },
      fields: new Map([['a', 1]]),
      expected: false,
    });
  }
  return cases;
}

/** The shared table. */
export const RULE_CASES: readonly RuleCase[] = [
  ...TABLES.flatMap((table) => [
    ...table.yes.map((asked) => single(table, asked, true)),
    ...table.no.map((asked) => single(table, asked, false)),
  ]),
  ...joined(),
];
