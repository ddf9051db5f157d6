import type { SignalRouting } from '@candela/contract';
import { describe, expect, it } from 'vitest';
import { changesOf, chosenOf, placeKey } from './routing-choices.ts';

const routing: SignalRouting = {
  projectId: 'default',
  bindings: [
    { environment: null, signal: 'logs', connectorId: null },
    { environment: 'staging', signal: 'traces', connectorId: 'c1' },
  ],
  defaults: { traces: 'embedded', metrics: 'embedded', logs: 'embedded', platform: 'embedded' },
  environments: ['production', 'staging'],
};

describe('choices of the routing matrix', () => {
  it('say what was bound', () => {
    expect(chosenOf(routing, 'staging', 'traces')).toBe('to c1');
    expect(chosenOf(routing, null, 'logs')).toBe('nowhere');
    expect(chosenOf(routing, 'production', 'traces')).toBe('inherit');
  });

  it('send only what differs, and a binding that goes as one without a connector', () => {
    const edits = new Map([
      [placeKey('staging', 'traces'), 'inherit'],
      [placeKey('production', 'traces'), 'to c2'],
      [placeKey(null, 'logs'), 'nowhere'],
      [placeKey(null, 'metrics'), 'nowhere'],
    ]);
    expect(changesOf(routing, edits)).toEqual([
      { environment: null, signal: 'metrics', connectorId: null },
      { environment: 'production', signal: 'traces', connectorId: 'c2' },
      { environment: 'staging', signal: 'traces' },
    ]);
    expect(changesOf(routing, new Map())).toEqual([]);
  });
});
