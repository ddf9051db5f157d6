import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  completionAt,
  excludeValue,
  quoted,
  terms,
  toggleValue,
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
    expect(texts('a or b c')).toEqual(['a or b', 'c']);
    expect(texts('not status:ok x')).toEqual(['not status:ok', 'x']);
    expect(texts('name:"un\\"closed')).toEqual(['name:"un\\"closed']);
    expect(texts('   ')).toEqual([]);
  });

  it('takes a term out', () => {
    const query = 'service:a  status:error "x y"';
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
