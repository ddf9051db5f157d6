import { describe, expect, it } from 'vitest';
import { isCountable, requireField } from '../filter/index.ts';
import { defaultFacets, facets } from './facets.ts';

const isTaken = (fields: readonly string[]) =>
  facets.body.safeParse({ from: '-1h', to: 'now', fields }).success;

describe('facets', () => {
  it.each(['spans', 'logs', 'exceptions'] as const)('of %s that come unasked can be counted', (signal) => {
    for (const name of defaultFacets(signal)) {
      const field = requireField(name, signal);
      expect([name, field.kind === 'named' && isCountable(field.definition)]).toEqual([name, true]);
    }
  });

  it('take fields and keys as a filter writes them, within bounds', () => {
    expect(isTaken(['service', 'attributes.customer tier', 'resource.host.name'])).toBe(true);
    expect(isTaken([])).toBe(false);
    expect(isTaken([''])).toBe(false);
    expect(isTaken([`attributes.${'a'.repeat(289)}`])).toBe(true);
    expect(isTaken([`attributes.${'a'.repeat(290)}`])).toBe(false);
    expect(isTaken(Array.from({ length: 24 }, (_, n) => `attributes.k${n}`))).toBe(true);
    expect(isTaken(Array.from({ length: 25 }, (_, n) => `attributes.k${n}`))).toBe(false);
  });

  it('are of texts, not of numbers or of words', () => {
    const counted = (name: string) => {
      const field = requireField(name);
      return field.kind === 'named' && isCountable(field.definition);
    };
    expect(['status', 'user', 'root', 'severity', 'trace_id'].filter(counted)).toHaveLength(5);
    expect(['duration', 'cost', 'body_size', 'prompt', 'text'].filter(counted)).toEqual([]);
  });
});
