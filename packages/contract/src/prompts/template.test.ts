import { CandelaError } from '@candela/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeholdersOf, renderTemplate, TEMPLATE_LIMITS, variablesOf } from './template.ts';

const rendered = (template: string, values: Record<string, unknown> = {}) =>
  renderTemplate(template, values).text;
const refusal = (work: () => unknown): string => {
  try {
    work();
    return 'nothing was refused';
  } catch (thrown) {
    return thrown instanceof CandelaError ? thrown.message : String(thrown);
  }
};

describe('a template', () => {
  it('takes a value for every place of a name, with spaces and tabs in the braces', () => {
    expect(rendered('{{a}} {{ a }} {{\ta  }}{{a}}', { a: 'x' })).toBe('x x xx');
    expect(rendered('{{ größe }} {{a.b-c_1}} {{0}}', { größe: 'g', 'a.b-c_1': 'h', 0: 'i' })).toBe('g h i');
  });

  it.each([
    '{{}}',
    '{{ }}',
    '{a}',
    '{{a}',
    '{{a b}}',
    '{{\na}}',
    '{{"a": 1}}',
    `{{${' '.repeat(30)}a}}`,
    `{{${'a'.repeat(101)}}}`,
    '{{{{',
    '}}{{',
  ])('leaves what is no placeholder as it is: %s', (text) => {
    expect(renderTemplate(text, { a: 'x', '': 'y' })).toMatchObject({ text, variables: [], missing: [] });
  });

  it('takes the inner two of three braces', () => {
    expect(rendered('{{{a}}} {{{{a}}}}', { a: 'x' })).toBe('{x} {{x}}');
  });

  it('never looks into a value again, and takes no character of it for anything else', () => {
    expect(rendered('{{a}}{{b}}', { a: '{{b}}', b: '{{a}}' })).toBe('{{b}}{{a}}');
    expect(rendered('{{a}}', { a: '{{a}}{{a}}' })).toBe('{{a}}{{a}}');
    expect(rendered('{{open}}b}}', { open: '{{', b: 'no' })).toBe('{{b}}');
    for (const value of ['$&', '$1', '$$', "$'", '$<a>', '\\n', '\u0000', '😀'])
      expect(rendered('<{{a}}>', { a: value })).toBe(`<${value}>`);
  });

  it('writes scalars as text and the rest as JSON; null counts as not given', () => {
    const values = { n: 1.5, t: true, f: false, z: 0, e: '', o: { a: [1, 'x'] }, l: [1, null], m: null };
    expect(rendered('{{n}} {{t}} {{f}} {{z}} "{{e}}" {{o}} {{l}} {{m}}', values)).toBe(
      '1.5 true false 0 "" {"a":[1,"x"]} [1,null] {{m}}',
    );
    expect(renderTemplate('{{m}}', { m: null })).toMatchObject({ missing: ['m'], unused: [] });
  });

  it('tells what is there, what is missing and what is not used', () => {
    expect(renderTemplate('{{b}} {{a}} {{ b }} {{c}}', { a: 1, z: 2, y: 3 })).toEqual({
      text: '{{b}} 1 {{ b }} {{c}}',
      variables: ['b', 'a', 'c'],
      missing: ['b', 'c'],
      unused: ['z', 'y'],
    });
    expect(variablesOf('{{b}}{{a}}{{b}}')).toEqual(['b', 'a']);
    expect(placeholdersOf('x{{ a }}')).toEqual([{ start: 1, end: 8, name: 'a' }]);
  });

  it('takes names that objects have of their own for names like any other', () => {
    expect(rendered('{{constructor}} {{toString}} {{__proto__}}')).toBe(
      '{{constructor}} {{toString}} {{__proto__}}',
    );
    const parsed = JSON.parse('{"__proto__":"p","constructor":"c"}') as Record<string, unknown>;
    expect(rendered('{{__proto__}} {{constructor}}', parsed)).toBe('p c');
  });

  it('says which bound is passed', () => {
    const many = Object.fromEntries(
      Array.from({ length: TEMPLATE_LIMITS.variables + 1 }, (_, n) => [`v${n}`, 1]),
    );
    expect(refusal(() => rendered('', many))).toMatch(/More than 1000 variables/);
    expect(refusal(() => rendered('', { long: 'x'.repeat(TEMPLATE_LIMITS.value + 1) }))).toMatch(
      /"long" is longer than 131072 characters/,
    );
    const bomb = '{{a}}'.repeat(1_000);
    expect(refusal(() => rendered(bomb, { a: 'x'.repeat(TEMPLATE_LIMITS.value) }))).toMatch(
      /longer than 1048576 characters/,
    );
  });
});

const name = fc.stringMatching(/^[a-z_][a-z0-9_.-]{0,5}$/);
const piece = fc.oneof(
  fc.string().filter((text) => !/[{}]/.test(text)),
  name.map((each) => ({ name: each })),
);

describe('any template and any values', () => {
  it('give the texts between and the values in their places', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('{{', '}}', '{{a}}', '$&'));
    fc.assert(
      fc.property(fc.array(piece), fc.dictionary(name, text), (pieces, values) => {
        const template = pieces
          .map((each) => (typeof each === 'string' ? each : `{{${each.name}}}`))
          .join('');
        const expected = pieces
          .map((each) => {
            if (typeof each === 'string') return each;
            return Object.hasOwn(values, each.name) ? values[each.name] : `{{${each.name}}}`;
          })
          .join('');
        expect(rendered(template, values)).toBe(expected);
      }),
    );
  });

  it('come back whole when nothing is given, whatever they hold', () => {
    const braces = fc.string({ unit: fc.constantFrom('{', '}', 'a', ' ', '\n', '.') });
    fc.assert(
      fc.property(braces, (template) => {
        const result = renderTemplate(template, {});
        expect(result.text).toBe(template);
        expect(result.missing).toEqual(variablesOf(template));
        const marked = placeholdersOf(template).map(({ start, end }) => template.slice(start, end));
        for (const each of marked) expect(each).toMatch(/^\{\{[ \t]*[a.]+[ \t]*\}\}$/);
      }),
    );
  });

  it('take work in proportion to their length', () => {
    const million = 1_000_000;
    expect(rendered('{{a}}'.repeat(million), { a: '' })).toBe('');
    expect(renderTemplate('{{a}}'.repeat(100_000), {}).missing).toEqual(['a']);
    for (const hostile of [
      '{'.repeat(million),
      '{{ '.repeat(300_000),
      '{{a'.repeat(300_000),
      `{{${' '.repeat(million)}`,
    ])
      expect(rendered(hostile)).toBe(hostile);
    const each = Array.from({ length: 50_000 }, (_, n) => `{{v${n}}}`).join('');
    expect(renderTemplate(each, {}).missing).toHaveLength(TEMPLATE_LIMITS.listed);
  });
});
