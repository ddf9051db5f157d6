import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Filter, FilterCondition, FilterOp } from './ast.ts';
import { canonicalFilter } from './canonical.ts';
import { FIELDS, type FieldDefinition } from './fields.ts';
import { parseGlob, printGlob } from './glob.ts';
import { parseFilter } from './parse.ts';
import { printFilter } from './print.ts';
import { checkRegex } from './regex.ts';
import { filterSchema } from './schema.ts';

function parsed(text: string): Filter | undefined {
  const result = parseFilter(text);
  if (!result.ok) throw new Error(`${result.error.message} at ${result.error.position}`);
  return result.filter;
}

function trouble(text: string) {
  const result = parseFilter(text);
  if (result.ok) throw new Error(`parsed: ${JSON.stringify(result.filter)}`);
  return result.error;
}

describe('the text grammar', () => {
  it.each<[string, Filter | undefined]>([
    ['', undefined],
    ['   ', undefined],
    ['service:checkout', { field: 'service', op: '=', value: 'checkout' }],
    ['service=checkout', { field: 'service', op: '=', value: 'checkout' }],
    ['service!=checkout', { field: 'service', op: '!=', value: 'checkout' }],
    ['-service:checkout', { field: 'service', op: '!=', value: 'checkout' }],
    ['service:"a b"', { field: 'service', op: '=', value: 'a b' }],
    ['service:"a \\"b\\" \\\\"', { field: 'service', op: '=', value: 'a "b" \\' }],
    ['service:""', { field: 'service', op: '=', value: '' }],
    ['service:a,b', { field: 'service', op: '=', value: 'a,b' }],
    ['service:*', { field: 'service', op: 'exists' }],
    ['-service:*', { field: 'service', op: 'not_exists' }],
    ['model:claude-*', { field: 'model', op: 'starts_with', value: 'claude-' }],
    ['model:*mini', { field: 'model', op: 'ends_with', value: 'mini' }],
    ['model:*o*', { field: 'model', op: 'contains', value: 'o' }],
    ['-model:*o*', { field: 'model', op: 'not_contains', value: 'o' }],
    ['model:a*b*c', { field: 'model', op: 'matches', value: 'a*b*c' }],
    ['model:"a*b"', { field: 'model', op: '=', value: 'a*b' }],
    ['model:"a*"*', { field: 'model', op: 'starts_with', value: 'a*' }],
    ['-model:a*', { not: { field: 'model', op: 'starts_with', value: 'a' } }],
    ['model:(a or b)', { field: 'model', op: 'in', value: ['a', 'b'] }],
    ['model:(a, "b c" d)', { field: 'model', op: 'in', value: ['a', 'b c', 'd'] }],
    ['-model:(a or b)', { field: 'model', op: 'not_in', value: ['a', 'b'] }],
    [
      'model:(gpt-4o or claude-*)',
      {
        or: [
          { field: 'model', op: '=', value: 'gpt-4o' },
          { field: 'model', op: 'starts_with', value: 'claude-' },
        ],
      },
    ],
    ['duration>2s', { field: 'duration_ms', op: '>', value: 2_000 }],
    ['duration:>=1.5m', { field: 'duration_ms', op: '>=', value: 90_000 }],
    ['duration<250', { field: 'duration_ms', op: '<', value: 250 }],
    ['duration:1s..2s', { field: 'duration_ms', op: 'between', value: [1_000, 2_000] }],
    ['duration:1.001s', { field: 'duration_ms', op: '=', value: 1_001 }],
    ['duration:1000999ns', { field: 'duration_ms', op: '=', value: 1.000999 }],
    ['duration>4.1m', { field: 'duration_ms', op: '>', value: 246_000 }],
    ['input_tokens>=1.001k', { field: 'input_tokens', op: '>=', value: 1_001 }],
    ['duration>1m30s', { field: 'duration_ms', op: '>', value: 90_000 }],
    ['duration:2s..', { field: 'duration_ms', op: '>=', value: 2_000 }],
    ['duration:..150ms', { field: 'duration_ms', op: '<=', value: 150 }],
    ['Duration>2S', { field: 'duration_ms', op: '>', value: 2_000 }],
    ['SERVICE:Checkout', { field: 'service', op: '=', value: 'Checkout' }],
    ['body_size>10kB', { field: 'body_size', op: '>', value: 10_000 }],
    ['body_size>=2MiB', { field: 'body_size', op: '>=', value: 2_097_152 }],
    ['attributes.size>1.5kB', { field: 'attributes.size', op: '>', value: 1_500 }],
    ['attributes.n>10k', { field: 'attributes.n', op: '>', value: 10_000 }],
    ['name:/^GET .*cart$/', { field: 'name', op: 'regex', value: '^GET .*cart$' }],
    ['-name:/a\\/b/', { not: { field: 'name', op: 'regex', value: 'a/b' } }],
    ['name!=/a/', { not: { field: 'name', op: 'regex', value: 'a' } }],
    ['attributes.http.route:/pay', { field: 'attributes.http.route', op: '=', value: '/pay' }],
    ['attributes.http.route:/pay/:id', { field: 'attributes.http.route', op: '=', value: '/pay/:id' }],
    ['attributes.http.route:"/pay/"', { field: 'attributes.http.route', op: '=', value: '/pay/' }],
    [
      'model:(/^gpt/ or claude)',
      {
        or: [
          { field: 'model', op: 'regex', value: '^gpt' },
          { field: 'model', op: '=', value: 'claude' },
        ],
      },
    ],
    ['ref*', { field: 'text', op: 'contains', value: 'ref' }],
    [
      'time*out',
      {
        and: [
          { field: 'text', op: 'contains', value: 'time' },
          { field: 'text', op: 'contains', value: 'out' },
        ],
      },
    ],
    [
      'not service:a or service:b and root:true',
      {
        or: [
          { not: { field: 'service', op: '=', value: 'a' } },
          {
            and: [
              { field: 'service', op: '=', value: 'b' },
              { field: 'root', op: '=', value: true },
            ],
          },
        ],
      },
    ],
    ['cost>$0.02', { field: 'cost', op: '>', value: 0.02 }],
    ['input_tokens>10k', { field: 'input_tokens', op: '>', value: 10_000 }],
    ['status:ERROR', { field: 'status', op: '=', value: 'error' }],
    ['-status:ok', { field: 'status', op: '!=', value: 'ok' }],
    ['root:true', { field: 'root', op: '=', value: true }],
    ['attributes.http.route:"/pay"', { field: 'attributes.http.route', op: '=', value: '/pay' }],
    ['attributes."odd: key":x', { field: 'attributes.odd: key', op: '=', value: 'x' }],
    ['attributes.__proto__:x', { field: 'attributes.__proto__', op: '=', value: 'x' }],
    ['attributes.n>5', { field: 'attributes.n', op: '>', value: 5 }],
    ['attributes.n:1..5', { field: 'attributes.n', op: 'between', value: [1, 5] }],
    ['attributes.n:"1..5"', { field: 'attributes.n', op: '=', value: '1..5' }],
    ['resource.k8s.pod:*', { field: 'resource.k8s.pod', op: 'exists' }],
    ['refund', { field: 'text', op: 'matches', value: 'refund' }],
    ['"free words"', { field: 'text', op: 'matches', value: 'free words' }],
    ['-refund', { not: { field: 'text', op: 'matches', value: 'refund' } }],
    ['prompt:refund', { field: 'prompt', op: 'matches', value: 'refund' }],
    ['prompt:*"a b"*', { field: 'prompt', op: 'contains', value: 'a b' }],
    ['body:refun*', { field: 'body', op: 'contains', value: 'refun' }],
    ['-body:refun*', { field: 'body', op: 'not_contains', value: 'refun' }],
    ['body!=refun*', { field: 'body', op: 'not_contains', value: 'refun' }],
    ['body!=refund', { not: { field: 'body', op: 'matches', value: 'refund' } }],
    ['message:*funded', { field: 'message', op: 'contains', value: 'funded' }],
    ['text:"re fun"*', { field: 'text', op: 'contains', value: 're fun' }],
    [
      'prompt:ref*ed',
      {
        and: [
          { field: 'prompt', op: 'contains', value: 'ref' },
          { field: 'prompt', op: 'contains', value: 'ed' },
        ],
      },
    ],
    [
      'body:(refun* or paid)',
      {
        or: [
          { field: 'body', op: 'contains', value: 'refun' },
          { field: 'body', op: 'matches', value: 'paid' },
        ],
      },
    ],
    // A star in quotes is no wildcard.
    ['body:"refun*"', { field: 'body', op: 'matches', value: 'refun ' }],
    ['"2 * 3"', { field: 'text', op: 'matches', value: '2   3' }],
    ['body:"***"', { field: 'body', op: 'contains', value: '***' }],
    ['or-else', { field: 'text', op: 'matches', value: 'or-else' }],
    [
      'a or b c',
      {
        or: [
          { field: 'text', op: 'matches', value: 'a' },
          {
            and: [
              { field: 'text', op: 'matches', value: 'b' },
              { field: 'text', op: 'matches', value: 'c' },
            ],
          },
        ],
      },
    ],
    [
      'not (service:a AND kind:server)',
      {
        not: {
          and: [
            { field: 'service', op: '=', value: 'a' },
            { field: 'kind', op: '=', value: 'server' },
          ],
        },
      },
    ],
  ])('%s', (text, filter) => {
    expect(parsed(text)).toEqual(filter);
  });

  it.each<[string, number, RegExp]>([
    ['service:', 7, /value is missing/],
    ['service:a servce:b', 10, /no field "servce"/],
    ['http.route:/pay', 0, /no field/],
    ['service:"open', 8, /never closed/],
    ['(service:a', 0, /never closed/],
    ['service:a)', 9, /closes nothing/],
    ['service:(a or b', 8, /never closed/],
    ['service:()', 8, /list is empty/],
    [
      'duration>soon',
      0,
      /^"duration" is compared with a duration such as 150ms, 2s or 1.5h, not with "soon"/,
    ],
    ['duration>2x', 0, /^"duration" is compared/],
    ['status:ok duration:2s..1s', 10, /^The range of "duration" is the wrong way round/],
    ['body_size>big', 0, /a size such as/],
    ['name:/a(b/', 7, /never closed/],
    ['name:/(?=a)/', 6, /Look-ahead/],
    ['name:/(a)\\1/', 9, /back to a group/],
    ['name:/a**/', 8, /nothing to repeat/],
    ['name:/a{2000}/', 7, /1000 times/],
    ['name:/[z-a]/', 9, /wrong way round/],
    ['duration:/a/', 0, /cannot be used with "regex"/],
    ['status:/a/', 0, /cannot be used with "regex"/],
    ['***', 0, /nothing to search/],
    ['status:broken', 0, /one of ok, error, unset/],
    ['service>5', 0, /cannot be used with ">"/],
    ['a or', 4, /missing/],
    ['or a', 0, /missing/],
    ['a and', 2, /both sides/],
    ['attributes.:x', 0, /Behind "attributes\." a key is missing/],
    ['body:""', 0, /nothing to search for in "body"/],
    ['x '.repeat(4_000), 4_096, /longer than 4,096/],
    ['"  "', 0, /nothing to search/],
    [`status:ok attributes.${'k'.repeat(400)}:a`, 10, /at most 300 characters/],
    [`"${Array.from({ length: 101 }, (_, index) => `w${index}`).join(' ')}"`, 0, /more than 100 words/],
  ])('says what is wrong with %s', (text, position, message) => {
    const error = trouble(text);
    expect(error.message).toMatch(message);
    expect(error.position).toBe(position);
    expect(error.length).toBeGreaterThan(0);
  });

  // By habit of another language: as words these would find nothing, or the opposite.
  it.each<[string, number, RegExp, RegExp]>([
    ['duration > 2s', 0, /no blanks around its sign/, /^Write duration>2s\./],
    ['status:ok cost >0.5', 10, /no blanks/, /^Write cost>0\.5\./],
    ['service : "a b"', 0, /no blanks/, /^Write service:"a b"\./],
    ['(service == a)', 1, /no blanks/, /^Write service==a\./],
    ['attributes.http.route != x', 0, /no blanks/, /^Write attributes\.http\.route!=x\./],
    ['duration> 2s', 8, /value is missing/, /right behind the sign/],
    ['service: a', 7, /value is missing/, /right behind the sign/],
    ['duration>2 s', 0, /unit stands right behind/, /^Write duration>2s\./],
    ['body_size>=10 kB', 0, /unit stands right behind/, /^Write body_size>=10kB\./],
    ['timestamp>2026-01-01', 0, /no field "timestamp"/, /chosen by the time range/],
    ['a && b', 2, /"&&" is written and/, /quote it/],
    ['service:a || service:b', 10, /"\|\|" is written or/, /quote it/],
    ['a !b', 2, /"!" negates nothing/, /^Write - or not/],
    ['!service:a', 0, /"!" negates nothing/, /^Write - or not/],
    ['!(a or b)', 0, /"!" negates nothing/, /^Write - or not/],
    ['!"a b"', 0, /"!" negates nothing/, /^Write - or not/],
    ['service=~"a.*"', 7, /no sign "=~"/, /service:\/expression\//],
    ['service!~a', 7, /no sign "!~"/, /service:\/expression\//],
    ['service~a', 7, /no sign "~"/, /service:\/expression\//],
    ["service:'a b'", 8, /no quote/, /"like this"/],
    ['service:\u201Ca\u201D', 8, /no quote/, /"like this"/],
    ['body:(a and b)', 8, /values of which one has to fit/, /body:a body:b/],
    ['service:(not a)', 9, /values of which one has to fit/, /service:a service:b/],
  ])('says how %s is written', (text, position, message, hint) => {
    const error = trouble(text);
    expect(error).toMatchObject({ position });
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
  });

  it.each([
    'paid - refused',
    'a > b',
    'refused !',
    'wow !!',
    '"duration > 2s"',
    '"!" "&&" "service" ":"',
    'duration>2 seconds5',
    'status:ok s',
    'duration>2s s',
    'service:("and" or "not")',
    "it's",
    'attributes.path:~/x',
  ])('takes %s', (text) => {
    expect(parsed(text)).toBeDefined();
  });

  it('takes == for =', () => {
    expect(parsed('service==a')).toEqual({ field: 'service', op: '=', value: 'a' });
    expect(parsed('duration==2s')).toEqual({ field: 'duration_ms', op: '=', value: 2_000 });
  });

  it('suggests the fields that were meant, the nearest first', () => {
    expect(trouble('tokens>5').hint).toMatch(/^Did you mean input_tokens or output_tokens\?/);
    expect(trouble('stauts:ok').hint).toMatch(/^Did you mean status/);
    expect(trouble('zzzzzzzz:1').hint).not.toContain('Did you mean');
    expect(() => canonicalFilter({ field: 'modle', op: '=', value: 'x' })).toThrow(/Did you mean "model"/);
    expect(parseFilter('severty:error', 'spans')).toMatchObject({ ok: false });
    const asked = parseFilter('bdy:x', 'spans');
    expect(asked.ok ? '' : asked.error.hint).not.toContain('body');
    expect(trouble('servce:b').hint).toContain('service');
    expect(trouble('http.route:b').hint).toContain('attributes.http.route');
  });

  it('refuses words where there is no text to search, and says so where they stand', () => {
    for (const text of ['service:shop checkout', 'service:shop "checkout"', 'service:shop check*'])
      expect(parseFilter(text, 'metrics')).toMatchObject({
        ok: false,
        error: {
          position: 13,
          length: text.length - 13,
          message: 'Words without a field find nothing in metrics.',
        },
      });
    expect(parseFilter('checkout', 'spans').ok).toBe(true);
  });
  it('refuses fields of another signal', () => {
    expect(parseFilter('severity:error', 'spans').ok).toBe(false);
    expect(parseFilter('severity:error', 'logs').ok).toBe(true);
  });

  it.each(['('.repeat(4_000), 'not '.repeat(1_000), '-'.repeat(4_000), `service:(${'a '.repeat(2_000)})`])(
    'stays small on %.12s...',
    (text) => {
      expect(parseFilter(text).ok).toBe(text.startsWith('--'));
    },
  );
});

describe('round trips', () => {
  const text = fc.string({ unit: 'binary', maxLength: 12 });
  const some = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 });
  const number = fc.oneof(
    fc.integer({ min: -100_000, max: 100_000 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
  const pair = fc.tuple(number, number).map((both) => both.toSorted((a, b) => a - b));

  /** Expressions of pieces that are right on their own, slashes and backslashes among them. */
  const pattern = fc
    .array(
      fc.constantFrom(
        'a',
        '/',
        '\\/',
        '\\\\',
        '\\d+',
        '[^/\\]]',
        '(?:x|y)',
        ' ',
        '"',
        '.*?',
        'é',
        '😀',
        '^',
        '$',
        '{',
        ')'.repeat(0),
        '(?i)z',
        '\\"',
        'a{2,3}',
      ),
      { minLength: 1, maxLength: 8 },
    )
    .map((parts) => parts.join(''))
    .filter((one) => one !== '' && checkRegex(one) === undefined);

  function condition(field: string, definition: FieldDefinition | undefined): fc.Arbitrary<FilterCondition> {
    const of = <T>(ops: FilterOp[], value: fc.Arbitrary<T>) =>
      fc.record({ field: fc.constant(field), op: fc.constantFrom(...ops), value });
    const presence = fc.record({
      field: fc.constant(field),
      op: fc.constantFrom<FilterOp[]>('exists', 'not_exists'),
    });
    const texts = [
      of(['=', '!='], text),
      of(['in', 'not_in'], fc.array(text, { minLength: 1, maxLength: 4 })),
      of(['contains', 'not_contains', 'starts_with', 'ends_with', 'matches'], some),
      of(['regex'], pattern),
    ];
    const numbers = [of(['>', '>=', '<', '<='], number), of(['between'], pair)];
    switch (definition?.type) {
      case undefined:
        return fc.oneof(presence, ...texts, ...numbers) as fc.Arbitrary<FilterCondition>;
      case 'string':
        return fc.oneof(presence, ...texts) as fc.Arbitrary<FilterCondition>;
      case 'text': {
        const words = some.filter((one) => one.trim() !== '');
        return fc.oneof(
          presence,
          of(['matches', 'contains', 'not_contains'], words),
          of(['regex'], pattern),
        ) as fc.Arbitrary<FilterCondition>;
      }
      case 'enum':
        return of(
          ['=', '!='],
          fc.constantFrom(...(definition.values ?? [])),
        ) as fc.Arbitrary<FilterCondition>;
      case 'boolean':
        return of(['=', '!='], fc.boolean()) as fc.Arbitrary<FilterCondition>;
      case 'number':
      case 'duration':
      case 'bytes':
        return fc.oneof(
          presence,
          of(['=', '!='], number),
          of(['in', 'not_in'], fc.array(number, { minLength: 1, maxLength: 4 })),
          ...numbers,
        ) as fc.Arbitrary<FilterCondition>;
    }
  }

  const leaf = fc.oneof(
    ...Object.entries(FIELDS).map(([name, definition]) => condition(name, definition)),
    ...['attributes', 'resource', 'scope'].map((source) =>
      some.chain((key) => condition(`${source}.${key}`, undefined)),
    ),
  );
  const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf,
      fc.record({ and: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ or: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ not: tie('filter') }),
    ),
  }));

  it('text of a filter parses back to the same filter', () => {
    fc.assert(
      fc.property(filter, (one) => {
        const canonical = canonicalFilter(one);
        expect(parsed(printFilter(one))).toEqual(canonical);
      }),
      { numRuns: 3_000 },
    );
  });

  it('the canonical form is stable and valid JSON for the schema', () => {
    fc.assert(
      fc.property(filter, (one) => {
        const canonical = canonicalFilter(one);
        expect(canonicalFilter(canonical)).toEqual(canonical);
        expect(filterSchema.parse(JSON.parse(JSON.stringify(canonical)))).toEqual(
          JSON.parse(JSON.stringify(canonical)),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('any text at all either parses or says where it fails', () => {
    const syntax = fc.string({ unit: fc.constantFrom(...'abservic:()"*-<>=.!, \\0159'), maxLength: 40 });
    fc.assert(
      fc.property(fc.oneof(syntax, fc.string({ unit: 'binary' })), (input) => {
        const result = parseFilter(input);
        if (result.ok) {
          if (result.filter !== undefined) expect(parsed(printFilter(result.filter))).toEqual(result.filter);
        } else {
          expect(result.error.position).toBeLessThanOrEqual(input.length);
        }
      }),
      { numRuns: 5_000 },
    );
  });

  it('patterns keep their stars and literals', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '*', '\\') }), (pattern) => {
        const pieces = parseGlob(pattern);
        expect(parseGlob(printGlob(pieces))).toEqual(pieces);
      }),
    );
  });
});

describe('a filter in JSON', () => {
  it('takes units as the text does', () => {
    expect(canonicalFilter({ field: 'duration', op: '>', value: '2s' })).toEqual({
      field: 'duration_ms',
      op: '>',
      value: 2_000,
    });
    expect(canonicalFilter({ field: 'duration', op: 'between', value: ['150ms', '1m30s'] })).toMatchObject({
      value: [150, 90_000],
    });
    expect(canonicalFilter({ field: 'body_size', op: '>=', value: '2MiB' })).toMatchObject({
      value: 2_097_152,
    });
    expect(canonicalFilter({ field: 'cost', op: 'in', value: ['$0.5', 1] })).toMatchObject({
      value: [0.5, 1],
    });
  });
});

describe('words of a text field in JSON', () => {
  const body = (value: string): Filter => ({ field: 'body', op: 'matches', value });
  const part = (value: string): Filter => ({ field: 'body', op: 'contains', value });
  it.each<[string, Filter]>([
    ['hello', body('hello')],
    ['hel*', part('hel')],
    ['hel* world', { and: [part('hel'), body('world')] }],
    ['h*o w*d', { and: [part('h'), part('o'), part('w'), part('d')] }],
    ['2 * 3', body('2 3')],
    ['*', { field: 'body', op: 'exists' }],
    ['hel\\*o', body('hel o')],
    ['\\*', part('*')],
    ['C:\\temp', body('C:\\temp')],
  ])('%s', (value, filter) => {
    expect(canonicalFilter(body(value))).toEqual(filter);
    expect(canonicalFilter(filter)).toEqual(filter);
    expect(parsed(printFilter(body(value)))).toEqual(filter);
  });
});

describe('the shape of a filter in JSON', () => {
  const ok = { field: 'name', op: 'exists' };
  it.each<[string, unknown, RegExp]>([
    [
      'an operator',
      { field: 'service', op: '==', value: 'x' },
      /^"service" cannot be used with "==". It takes =, !=, in/,
    ],
    [
      'no value',
      { field: 'service', op: '=', value: null },
      /^"value" of the condition on "service".* not null/,
    ],
    ['nothing', {}, /^This is no condition. A condition is \{"field"/],
    ['a text', 'service:x', /^This is no condition but "service:x"\./],
    ['a list', [], /^This is no condition but a list of 0\./],
    ['null in a group', { and: [ok, null] }, /^At and\[1\]: This is no condition but null\./],
    ['no operator', { field: 'service' }, /^"op" is one of =, !=, in/],
    ['no field', { field: 'nope', op: 'is' }, /^There is no field "nope"/],
    [
      '201 values',
      { field: 'service', op: 'in', value: Array(201).fill('a') },
      /1 to 200 values, not of 201/,
    ],
    ['a value of a list', { field: 'service', op: 'in', value: ['a', {}] }, /not an object/],
    [
      'a deep one',
      { and: [ok, { or: [ok, { not: { field: 'cost', op: '~' } }] }] },
      /^At and\[1\].or\[1\].not: "cost" cannot/,
    ],
    ['two groups', { and: [ok], or: [ok] }, /^"and" stands alone, without "or"/],
    ['an empty group', { and: {} }, /^"and" takes a list of 1 to 100/],
  ])('says what is wrong with %s', (_, filter, message) => {
    const result = filterSchema.safeParse(filter);
    expect(result.error?.issues[0]?.message).toMatch(message);
  });

  const huge = 'x'.repeat(1 << 20);
  const list = Array.from({ length: 1_000 }, () => huge.slice(0, 1_000));
  it.each<[string, unknown, RegExp]>([
    ['operator', { field: 'service', op: huge }, /^"service" cannot be used with "x{40}"\. It takes/],
    ['operator that is a list', { field: 'service', op: list }, /not a list of 1000\.$/],
    ['field', { field: { list }, op: '=' }, /not an object\.$/],
    ['value of a list', { field: 'name', op: 'in', value: [list] }, /not a list of 1000\. Rows/],
    ['value that is an object', { field: 'name', op: '=', value: { list } }, /not an object\. Rows/],
    ['text', huge, /^This is no condition but "x{79}\.\.\.\. A/],
    ['list', list, /^This is no condition but a list of 1000\. A/],
    ['name', { field: 'name', op: '=', [huge]: 1 }, /^A condition has no "x{79}\.\.\.\. A/],
    ['name beside a group', { and: [ok], [huge]: 1 }, /^"and" stands alone, without "x{79}\.\.\.\. A/],
    ['name beside not', { not: ok, [huge]: 1 }, /^"not" stands alone, without "x{79}\.\.\.\. A/],
  ])('says in a sentence what is wrong with a huge %s', (_, filter, message) => {
    const said = filterSchema.safeParse(filter).error?.issues[0]?.message ?? '';
    expect(said).toMatch(message);
    expect(said.length).toBeLessThan(600);
  });

  // Once a level, and not twice: of 60 levels that would never end.
  it('is right where the schema takes it, and said however deep', () => {
    let deep: unknown = {};
    for (let level = 0; level < 60; level += 1) deep = { and: [ok, deep] };
    expect(filterSchema.safeParse(deep).error?.issues[0]?.message).toMatch(
      /^At and\[1\].*This is no condition/,
    );
  });
});

describe('checking a filter in JSON', () => {
  it.each<[Filter, RegExp]>([
    [{ field: `attributes.${'k'.repeat(290)}`, op: '=', value: 'x' }, /at most 300 characters/],
    [
      {
        or: Array.from({ length: 20 }, () => ({
          field: 'name',
          op: 'contains' as const,
          value: 'x'.repeat(4_096),
        })),
      },
      /longer than 65,536 bytes together/,
    ],
    [
      {
        or: Array.from({ length: 40 }, (_, list) => ({
          field: 'trace_id',
          op: 'in' as const,
          value: Array.from({ length: 200 }, (__, id) => `${list}${id}`.padStart(32, '0')),
        })),
      },
      /longer than 65,536 bytes together/,
    ],
    [
      { field: 'body', op: 'matches', value: Array.from({ length: 101 }, (_, n) => `w${n}`).join(' ') },
      /100 words/,
    ],
    [
      { field: 'body', op: 'matches', value: Array.from({ length: 101 }, (_, n) => `w${n}*`).join(' ') },
      /100 conditions/,
    ],
    [{ field: 'nope', op: '=', value: 'x' }, /no field/],
    [{ field: 'service', op: '>', value: 5 }, /cannot be used/],
    [{ field: 'service', op: '=' }, /needs a value/],
    [{ field: 'service', op: '=', value: ['a'] }, /not a list/],
    [{ field: 'cost', op: 'between', value: [1] }, /two values/],
    [{ field: 'duration', op: 'between', value: ['2s', '150ms'] }, /range of "duration" is the wrong way/],
    [{ field: 'cost', op: '>', value: 'much' }, /number/],
    [{ field: 'model', op: 'contains', value: '' }, /not empty/],
    [{ field: 'model', op: 'regex', value: '' }, /not empty/],
    [{ field: 'model', op: 'regex', value: 'a(' }, /wrong at its character 2/],
    [{ field: 'model', op: 'regex', value: 'a'.repeat(501) }, /500 characters/],
    [{ and: Array.from({ length: 101 }, () => ({ field: 'name', op: 'exists' as const })) }, /more than 100/],
  ])('%j', (filter, message) => {
    expect(() => canonicalFilter(filter)).toThrow(message);
  });
});

it('severity is an ordered enum: compared by name, printed as written', () => {
  const parsed = parseFilter('severity>=warn -level:unset', 'logs');
  expect(parsed).toEqual({
    ok: true,
    filter: {
      and: [
        { field: 'severity', op: '>=', value: 'warn' },
        { field: 'severity', op: '!=', value: 'unset' },
      ],
    },
  });
  if (parsed.ok && parsed.filter) expect(printFilter(parsed.filter)).toBe('severity>=warn -severity:unset');
  expect(parseFilter('severity>=loud', 'logs')).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('unset, trace, debug, info, warn, error, fatal') },
  });
  expect(parseFilter('kind>server', 'spans')).toMatchObject({ ok: false });
});

it('exceptions have their own fields and no attributes', () => {
  expect(parseFilter('error_type:*Timeout* message:connection service:shop', 'exceptions').ok).toBe(true);
  expect(parseFilter('duration>2s', 'exceptions').ok).toBe(false);
  expect(parseFilter('attributes.http.route:"/x"', 'exceptions')).toMatchObject({
    ok: false,
    error: { position: 0, hint: 'Search the spans or logs for it.' },
  });
});
