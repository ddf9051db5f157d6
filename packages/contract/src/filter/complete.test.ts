import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completeFilter, completionField, completionValue } from './complete.ts';
import { parseFilter } from './parse.ts';

/** Completes where the bar stands. */
function at(marked: string, signal: 'spans' | 'logs' = 'spans') {
  const cursor = marked.indexOf('|');
  return completeFilter(marked.replace('|', ''), cursor, signal);
}
const labels = (marked: string, signal?: 'logs') => at(marked, signal).options.map(({ label }) => label);

describe('completion', () => {
  it.each([
    ['|', { kind: 'field', from: 0, to: 0, typed: '' }],
    ['ser|', { kind: 'field', from: 0, to: 3, typed: 'ser' }],
    ['-ser|', { kind: 'field', from: 1, to: 4, typed: 'ser' }],
    ['service:a  mo|', { kind: 'field', from: 11, to: 13, typed: 'mo' }],
    ['(ser|', { kind: 'field', from: 1, to: 4, typed: 'ser' }],
    ['refund |', { kind: 'field', from: 7, to: 7, typed: '' }],
    ['refun* ser|', { kind: 'field', from: 7, to: 10, typed: 'ser' }],
    ['not |', { kind: 'field', from: 4, to: 4, typed: '' }],
    ['service:a or |', { kind: 'field', from: 13, to: 13, typed: '' }],
    ['(refund) |', { kind: 'field', from: 9, to: 9, typed: '' }],
    ['service:a |', { kind: 'field', from: 10, to: 10, typed: '' }],
    ['attributes.ht|', { kind: 'field', from: 0, to: 13, typed: 'attributes.ht' }],
    ['service|', { kind: 'operator', from: 7, to: 7, field: 'service' }],
    ['duration|', { kind: 'operator', from: 8, to: 8, field: 'duration_ms' }],
    ['service:|', { kind: 'value', from: 8, to: 8, typed: '', field: 'service' }],
    ['service:che|', { kind: 'value', from: 8, to: 11, typed: 'che', field: 'service' }],
    ['service:ch|eckout x', { kind: 'value', from: 8, to: 16, typed: 'ch', field: 'service' }],
    ['service:"a b|', { kind: 'value', from: 8, to: 12, typed: 'a b', field: 'service' }],
    ['service:"a b|c" d:e', { kind: 'value', from: 8, to: 14, typed: 'a b', field: 'service' }],
    ['model:(gpt-4o or cl|', { kind: 'value', from: 17, to: 19, typed: 'cl', field: 'model' }],
    ['model:(gpt-4o, |', { kind: 'value', from: 15, to: 15, typed: '', field: 'model' }],
    ['model:(a or b) se|', { kind: 'field', from: 15, to: 17, typed: 'se' }],
    ['env:pro|', { kind: 'value', typed: 'pro', field: 'environment' }],
    ['resource."a b":x|', { kind: 'value', typed: 'x', field: 'resource.a b' }],
    ['duration>|', { kind: 'value', from: 9, to: 9, field: 'duration_ms' }],
    ['"free wo|', { kind: 'none' }],
    ['name:/ab|/', { kind: 'none' }],
    ['nope:x|', { kind: 'none' }],
    ['a or|', { kind: 'none' }],
  ])('%s', (marked, expected) => {
    expect(at(marked)).toMatchObject(expected);
  });

  it('offers fields of the signal, operators and values', () => {
    expect(labels('serv|')).toEqual(['service']);
    expect(labels('ser|')[0]).toBe('service');
    expect(at('dur|').options[0]).toMatchObject({ insert: 'duration>', label: 'duration' });
    expect(labels('seve|')).toEqual([]);
    expect(labels('seve|', 'logs')[0]).toBe('severity');
    expect(labels('attr|')).toContain('attributes.');
    expect(labels('status:|')).toEqual(['ok', 'error', 'unset']);
    expect(labels('status:e|')[0]).toBe('error');
    expect(labels('root:t|')).toEqual(['true']);
    expect(labels('duration|')).toEqual([':', '!=', '>', '>=', '<', '<=']);
    expect(completionField('attributes.odd key')).toBe('attributes."odd key":');
  });

  it('writes values that find themselves', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }), (value) => {
        const parsed = parseFilter(`service:(${completionValue(value)} or x)`);
        expect(parsed).toEqual({ ok: true, filter: { field: 'service', op: 'in', value: [value, 'x'] } });
      }),
    );
  });

  it('answers at every place of any text', () => {
    const syntax = fc.string({ unit: fc.constantFrom(...'abservic:()"*-<>=.!,/ \\0159'), maxLength: 30 });
    fc.assert(
      fc.property(syntax, fc.nat(30), (text, cursor) => {
        const { from, to } = completeFilter(text, cursor, 'spans');
        expect(from).toBeGreaterThanOrEqual(0);
        expect(to).toBeGreaterThanOrEqual(from);
        expect(to).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 5_000 },
    );
  });
});
