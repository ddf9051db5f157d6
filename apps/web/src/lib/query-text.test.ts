import { type FieldDefinition, FIELDS, parseFilter } from '@candela/contract/filter';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  completionAt,
  ENUMS,
  excludeValue,
  quoted,
  terms,
  toggleTerm,
  toggleValue,
  namedValuesOf,
  valuesOf,
  withoutField,
  withoutTerm,
} from './query-text.ts';

const texts = (query: string) => terms(query).map((term) => term.text);

describe('query text', () => {
  it('splits into top-level terms', () => {
    expect(texts('service:checkout model:(gpt-4o or claude-*) duration>2s -status:ok "two words"')).toEqual([
      'service:checkout',
      'model:(gpt-4o or claude-*)',
      'duration>2s',
      '-status:ok',
      '"two words"',
    ]);
    expect(texts('a or b c')).toEqual(['a or b c']);
    expect(texts('a (b or c)')).toEqual(['a', '(b or c)']);
    expect(texts('not status:ok x')).toEqual(['not status:ok', 'x']);
    expect(texts('name:"un\\"closed')).toEqual(['name:"un\\"closed']);
    expect(texts('   ')).toEqual([]);
  });

  it('holds regular expressions together, whatever is in them', () => {
    expect(texts('name:/GET (a|b) "c/ service:x')).toEqual(['name:/GET (a|b) "c/', 'service:x']);
    expect(texts('-name:/a b/ (name:/c d/ or x)')).toEqual(['-name:/a b/', '(name:/c d/ or x)']);
    expect(texts(String.raw`name:/a\/ b/ x`)).toEqual([String.raw`name:/a\/ b/`, 'x']);
    expect(texts('name:(/a b/,c) x')).toEqual(['name:(/a b/,c)', 'x']);
    // A slash that ends no value ends no expression: it is text like any other.
    expect(texts('route:/pay/now x')).toEqual(['route:/pay/now', 'x']);
    expect(texts('route:/pay status:error')).toEqual(['route:/pay', 'status:error']);
    expect(texts('model:a/b c/d')).toEqual(['model:a/b', 'c/d']);
  });

  it('splits where the grammar does: every term is a filter of its own, and all of them are the query', () => {
    const words = fc.constantFrom(
      'name:/a b/',
      '-name:/x "y/',
      'service:(a, "b c" or /d e/)',
      'status:error',
      '"free words"',
      'not model:a/b',
      'name:"/no expression/"',
    );
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 6 }), (parts) => {
        expect(texts(parts.join(' '))).toEqual(parts);
        for (const part of parts) expect(parseFilter(part, 'spans').ok).toBe(true);
      }),
    );
  });

  it('leaves what else a list asks for as it was written', () => {
    expect(toggleValue('model:(gpt-* or /o[13] mini/)', 'model', 'claude')).toBe(
      'model:(gpt-* or /o[13] mini/ or claude)',
    );
    expect(valuesOf('service:(a,"b c")', 'service')).toEqual(['a', 'b c']);
  });

  it('narrows all of a query with "or" in it', () => {
    expect(toggleValue('service:a or model:b', 'service', 'c')).toBe('(service:a or model:b) service:c');
    expect(valuesOf('service:a or model:b', 'service')).toEqual([]);
    expect(excludeValue('a or b', 'model', 'o1')).toBe('(a or b) -model:o1');
  });

  it('adds a term, and takes it out again', () => {
    expect(toggleTerm('a or b', 'model:"o 1"*')).toBe('(a or b) model:"o 1"*');
    expect(toggleTerm('(a or b) model:"o 1"* c', 'model:"o 1"*')).toBe('(a or b) c');
  });

  it('takes a term out', () => {
    const query = 'service:a  status:error "x y"';
    const words = '"two  blanks" x';
    expect(withoutTerm(words, terms(words)[1] ?? { text: '', start: 0, end: 0 })).toBe('"two  blanks"');
    expect(withoutTerm(query, terms(query)[1] ?? { text: '', start: 0, end: 0 })).toBe('service:a "x y"');
  });

  it('adds, collects and removes facet values', () => {
    let query = toggleValue('duration>2s', 'service', 'checkout');
    expect(query).toBe('duration>2s service:checkout');
    query = toggleValue(query, 'service', 'cart api');
    expect(query).toBe('duration>2s service:(checkout or "cart api")');
    expect(valuesOf(query, 'service')).toEqual(['checkout', 'cart api']);
    query = toggleValue(query, 'service', 'checkout');
    expect(query).toBe('duration>2s service:"cart api"');
    expect(withoutField(query, 'service')).toBe('duration>2s');
    expect(toggleValue(query, 'service', 'cart api')).toBe('duration>2s');
    expect(excludeValue(excludeValue('', 'model', 'o1'), 'model', 'o1')).toBe('-model:o1');
  });

  it('gives back every value it quoted, whatever is in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (value) => {
        expect(valuesOf(`x:1 f:${quoted(value)}`, 'f')).toEqual([value]);
        expect(toggleValue(toggleValue('a:b', 'f', value), 'f', value)).toBe('a:b');
      }),
    );
  });

  it('knows what is being typed', () => {
    expect(completionAt('ser', 3)).toMatchObject({ kind: 'field', prefix: 'ser', start: 0 });
    expect(completionAt('a -mod', 6)).toMatchObject({ kind: 'field', prefix: 'mod', start: 3 });
    expect(completionAt('model:gp', 8)).toMatchObject({
      kind: 'value',
      field: 'model',
      prefix: 'gp',
      start: 6,
    });
    expect(completionAt('model:(gpt-4o or cl', 19)).toMatchObject({
      kind: 'value',
      field: 'model',
      prefix: 'cl',
    });
    expect(completionAt('"service', 8)).toBeUndefined();
    expect(completionAt('duration>2', 10)).toBeUndefined();
  });
});

it('reads the values of a field that has a few as they are shown, in whatever case they are written', () => {
  expect(valuesOf('severity:ERROR', 'severity')).toEqual(['error']);
  expect(namedValuesOf('kind:(SERVER or "Client") x', 'kind')).toEqual(['server', 'client']);
  expect(toggleValue('status:ERROR x', 'status', 'error')).toBe('x');
  expect(toggleValue('status:ERROR', 'status', 'ok')).toBe('status:(ERROR or ok)');
  expect(valuesOf('service:ERROR', 'service')).toEqual(['ERROR']);
  const known = Object.entries<FieldDefinition>(FIELDS).filter(([, { type }]) => type === 'enum');
  expect(known.map(([name]) => name).toSorted()).toEqual(ENUMS);
});

it('tells values that are named from patterns and expressions', () => {
  expect(namedValuesOf('service:(cart or "a b" or che* or /x/ or >2) status:ok', 'service')).toEqual([
    'cart',
    'a b',
  ]);
  expect(namedValuesOf('service:"che*"', 'service')).toEqual(['che*']);
  expect(namedValuesOf('model:a', 'service')).toEqual([]);
});
