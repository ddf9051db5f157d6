import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { RequestContext } from '@candela/kernel';
import { SharedAnswers } from './shared-answers.ts';

const context = (change: Partial<RequestContext> = {}): RequestContext => ({
  principal: { kind: 'key', id: 'k1' },
  organisationId: 'o',
  projectId: 'p',
  environment: undefined,
  databaseConfigId: 'embedded',
  scopes: new Set(['telemetry']),
  requestId: 'r',
  ...change,
});
const never = new AbortController().signal;

/** Counts how often it was asked; answers when told to. */
function source() {
  const runs: { readonly answer: (text: string) => void; readonly signal: AbortSignal }[] = [];
  const make = (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      runs.push({ answer: resolve, signal });
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  return { runs, make };
}

describe('answers that are shared', () => {
  it('are made once for all who ask the same at the same time, and for a second', async () => {
    const { runs, make } = source();
    const shared = new SharedAnswers();
    const ask = (id: string) =>
      shared.ask(context({ principal: { kind: 'key', id } }), ['chart', 1n], never, make);
    const both = [ask('k1'), ask('k2')];
    runs[0]?.answer('one');
    expect(await Promise.all(both)).toEqual(['one', 'one']);
    expect(await ask('k3')).toBe('one');
    expect(runs).toHaveLength(1);
    await sleep(1_100);
    void ask('k3');
    expect(runs).toHaveLength(2);
  });

  it.each<[string, Partial<RequestContext>]>([
    ['project', { projectId: 'other' }],
    ['organisation', { organisationId: 'other' }],
    ['environment', { environment: 'production' }],
    ['database', { databaseConfigId: 'other' }],
    ['scopes', { scopes: new Set(['telemetry', 'vault']) }],
    ['role', { principal: { kind: 'user', id: 'u', sessionId: 's', role: 'viewer' } }],
  ])('are not those of another %s', async (_, change) => {
    const { runs, make } = source();
    const shared = new SharedAnswers();
    void shared.ask(context(), ['chart'], never, make);
    void shared.ask(context(change), ['chart'], never, make);
    void shared.ask(context(change), ['chart', { from: 1 }], never, make);
    expect(runs).toHaveLength(3);
  });

  it('are asked anew when rows were stored, also while one is made', async () => {
    const { runs, make } = source();
    const shared = new SharedAnswers();
    const before = shared.ask(context(), ['chart'], never, make);
    shared.forget();
    const after = shared.ask(context(), ['chart'], never, make);
    runs[0]?.answer('before');
    runs[1]?.answer('after');
    expect(await Promise.all([before, after])).toEqual(['before', 'after']);
    expect(await shared.ask(context(), ['chart'], never, make)).toBe('after');
  });

  it('go on while one of those who wait is there, and end with the last', async () => {
    const { runs, make } = source();
    const shared = new SharedAnswers();
    const [first, second] = [new AbortController(), new AbortController()];
    const asked = [first, second].map(({ signal }) => shared.ask(context(), ['chart'], signal, make));
    first.abort(new Error('the first left'));
    await expect(asked[0]).rejects.toThrow('the first left');
    expect(runs[0]?.signal.aborted).toBe(false);
    second.abort(new Error('the second left'));
    await expect(asked[1]).rejects.toThrow('the second left');
    expect(runs[0]?.signal.aborted).toBe(true);
  });

  it('that fail are not kept', async () => {
    const shared = new SharedAnswers();
    const fails = () => Promise.reject(new Error('no'));
    await expect(shared.ask(context(), ['chart'], never, fails)).rejects.toThrow('no');
    expect(await shared.ask(context(), ['chart'], never, async () => 'yes')).toBe('yes');
  });
});
