import { expect, it } from 'vitest';
import type { Runner } from '../core/run.ts';
import { contextOf } from '../core/testing.ts';
import { readSpan, type SpanIds } from './span.ts';

/** The order that one of several spans with an id is chosen by, and the values it binds. */
async function orderOf(ids: SpanIds): Promise<[string | undefined, unknown[]]> {
  let asked: [string | undefined, unknown[]] = [undefined, []];
  const runner: Runner = {
    run: async (scope, sql) => {
      asked = [/ORDER BY (.*) LIMIT 1$/.exec(sql)?.[1], Object.values(scope.params.values)];
      return [];
    },
    seen: (context, _source, ask) => ask(context),
    visible: () => Promise.resolve(undefined),
    storeOf: () => Promise.reject(new Error('No store is asked for.')),
  };
  await expect(readSpan(runner, contextOf(), ids)).rejects.toThrow('not found');
  return asked;
}

const ids = { traceId: 'A'.repeat(32), spanId: 'B'.repeat(16) };

it('reads of a span that was also sent while it ran the one with its end', async () => {
  const [order, values] = await orderOf(ids);
  expect(order).toBe('Timestamp, Flags >= 2147483648, Duration DESC');
  expect(values).toEqual(['default', 'a'.repeat(32), 'b'.repeat(16)]);
});

it('reads of several spans with one id the one that is meant', async () => {
  const [order, values] = await orderOf({ ...ids, startMs: 1_795_000_000_123 });
  expect(order).toBe(
    'toUnixTimestamp64Milli(Timestamp) != {p3:Int64}, Timestamp, Flags >= 2147483648, Duration DESC',
  );
  expect(values).toContain(1_795_000_000_123);
});
