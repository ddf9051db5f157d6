import { describe, expect, it } from 'vitest';
import { idOf, queryFilterOf, wholeWindowOf } from './service.ts';

const clock = { now: () => Date.UTC(2026, 10, 20) };

describe('reads of sessions and users', () => {
  it('take an id as it is or as a key; a damaged key is of nobody', () => {
    expect(idOf('sess-1', 'The session')).toBe('sess-1');
    expect(idOf('~YS9i', 'The session')).toBe('a/b');
    expect(() => idOf('~%', 'The session')).toThrow(expect.objectContaining({ code: 'not_found' }));
  });

  it('look at all of a session unless a window is given', () => {
    expect(wholeWindowOf({ to: 'now' }, clock).from).toBe(0n);
    expect(wholeWindowOf({ from: '-1h', to: 'now' }, clock).from).toBe(
      BigInt(clock.now() - 3_600_000) * 1_000_000n,
    );
  });

  it('take a filter as text, as JSON or both', () => {
    expect(queryFilterOf({})).toBeUndefined();
    const json = JSON.stringify({ field: 'model', op: '=', value: 'gpt-4o' });
    expect(queryFilterOf({ filter: json })).toEqual({ field: 'model', op: '=', value: 'gpt-4o' });
    expect(queryFilterOf({ q: 'status:error', filter: json })).toMatchObject({
      and: [{ field: 'model' }, {}],
    });
    const deep = '{"not":'.repeat(1_800);
    for (const filter of [
      '{',
      '[]',
      `${deep}{}${'}'.repeat(1_800)}`,
      '{"field":5}',
      JSON.stringify({ field: 'nope', op: '=', value: 'x' }),
    ])
      expect(() => queryFilterOf({ filter })).toThrow(expect.objectContaining({ code: 'bad_query' }));
  });

  it.each([
    ['{', /is not the JSON of a filter\.$/],
    [`${'{"not":'.repeat(70)}{}${'}'.repeat(70)}`, /is nested deeper than 64 levels\.$/],
    [
      '{"and":[{"field":"service","op":"=="}]}',
      /is no filter: At and\[0\]: "service" cannot be used with "=="/,
    ],
    [`{"field":"service","op":"=","value":"${'x'.repeat(5_000)}"}`, /is no filter: "value": Too big/],
  ])('say what is wrong with %.40s', (filter, message) => {
    expect(() => queryFilterOf({ filter })).toThrow(message);
  });
});
