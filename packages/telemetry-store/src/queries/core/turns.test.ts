import { parseFilterOrFail } from '@candela/contract';
import { describe, expect, it } from 'vitest';
import { LOGS } from '../logs/log-fields.ts';
import { SPANS } from '../spans/span-fields.ts';
import { compileFilter } from './filter.ts';
import type { QueryKind } from './limits.ts';
import type { StoreSnapshot } from '../../client/types.ts';
import { Params } from './params.ts';
import { indexing } from './testing.ts';
import type { Source } from './source.ts';
import { Turns } from './turns.ts';

const reading = (q: string, source: Source = SPANS, store?: StoreSnapshot): Params => {
  const params = new Params({ store });
  const filter = parseFilterOrFail(q, source.signal);
  if (filter !== undefined) compileFilter(source, filter, params);
  return params;
};

const turnOf = (kind: QueryKind, params: Params, hurried = false): Promise<number> =>
  new Turns().take({ kind, hurried }, params, (priority) => Promise.resolve(priority));

describe('turns', () => {
  it('lists and whatever reads little go first, charts that read attributes or texts stand back', async () => {
    expect(await turnOf('list', reading('violin'), true)).toBe(1);
    expect(await turnOf('list', reading('service:shop'))).toBe(1);
    // The rest of a page, once its first rows are there.
    expect(await turnOf('list', reading('violin'))).toBe(2);
    expect(await turnOf('chart', reading('service:shop'))).toBe(1);
    expect(await turnOf('chart', reading('completion:*'))).toBe(1);
    expect(await turnOf('chart', reading('attributes.customer:acme'))).toBe(2);
    for (const q of [
      'violin',
      'service:shop not violin',
      'completion:"no idea"',
      'prompt:*vio*',
      'text:/vio/',
    ]) {
      expect(await turnOf('facets', reading(q))).toBe(3);
    }
    expect(await turnOf('chart', reading('violin', LOGS))).toBe(3);
  });

  it('what an index of words tells reads no texts', async () => {
    const turn = (q: string, source?: Source) =>
      turnOf('facets', reading(q, source, indexing('otel_traces')));
    expect(await turn('violin not "no idea"')).toBe(1);
    // Neither pieces nor one side of a conversation, nor words of scripts that stand anywhere.
    for (const q of ['*vio*', 'completion:violin', 'text:/vio/', 'violin 退款'])
      expect(await turn(q)).toBe(3);
    expect(await turn('violin', LOGS)).toBe(3);
  });

  it('a sample goes before what reads all texts, and nothing waits for it', async () => {
    const turns = new Turns();
    const sampled = Object.assign(reading('violin'), { isSample: true });
    const priorities = (asked: readonly Params[]) =>
      Promise.all(
        asked.map((params) => turns.take({ kind: 'chart' }, params, (priority) => Promise.resolve(priority))),
      );
    expect(await priorities([reading('violin'), sampled, reading('violin')])).toEqual([3, 2, 4]);
  });

  it('what reads texts runs in the order in which it was asked', async () => {
    const turns = new Turns();
    const words = reading('violin');
    const { promise, resolve } = Promise.withResolvers<void>();
    const order: number[] = [];
    const ask = () =>
      turns.take({ kind: 'chart' }, words, async (priority) => {
        order.push(priority);
        await promise;
      });
    const asked = [ask(), ask(), ask()];
    expect(order).toEqual([3, 4, 5]);
    resolve();
    await Promise.all(asked);
    await expect(
      turns.take({ kind: 'chart' }, words, () => Promise.reject(new Error('gone'))),
    ).rejects.toThrow('gone');
    expect(await turns.take({ kind: 'chart' }, words, (priority) => Promise.resolve(priority))).toBe(3);
  });
});
