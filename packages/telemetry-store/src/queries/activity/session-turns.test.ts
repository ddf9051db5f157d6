import { expect, it } from 'vitest';
import { contextOf } from '../core/testing.ts';
import type { Runner } from '../core/run.ts';
import { readTurns } from './session-turns.ts';

const MIB = 1 << 20;

/** The ids of spans whose contents a page reads, and the statement; `sizes` of the spans of each trace. */
async function readsOf(sizes: readonly (readonly number[])[]) {
  const traces = sizes.map((_, at) => `t${at}`);
  const asked: { sql: string; values: Readonly<Record<string, unknown>> }[] = [];
  const answers = [
    traces.map((TraceId) => ({ TraceId, StartNs: '1', EndNs: '2' })),
    sizes.map((of, at) => ({
      TraceId: `t${at}`,
      All: of.length,
      Ids: of.map((_size, index) => `s${index}`),
      Until: of.map((_size, index) => of.slice(0, index + 1).reduce((sum, size) => sum + size, 0)),
    })),
  ];
  const runner = {
    run: async (scope: { params: { values: Record<string, unknown> } }, sql: string) => {
      asked.push({ sql, values: scope.params.values });
      return answers[asked.length - 1] ?? [];
    },
  } as unknown as Runner;
  const window = { from: 0n, to: 9n };
  const input = { sessionId: 's', window, trace: undefined, limit: sizes.length, cursor: undefined };
  await readTurns(runner, contextOf(), input);
  const { sql = '', values = {} } = asked[2] ?? {};
  const [, name = ''] = /concat\(TraceId, ' ', SpanId\) IN \{(\w+):/u.exec(sql) ?? [];
  return { sql, ids: values[name] as string[] };
}

it('reads spans by both of their ids, and none beyond the size that was chosen by', async () => {
  const { sql, ids } = await readsOf([[1], [1, 1]]);
  expect(ids).toEqual(['t0 s0', 't1 s0', 't1 s1']);
  expect(sql).toContain(`mapValues(ContentAttributes))) <= ${2 * MIB}`);
});

it('reads no more than a page may hold, and a long question as far as others leave room', async () => {
  const large = Array.from({ length: 54 }, () => [2 * MIB]);
  expect((await readsOf(large)).ids).toHaveLength(16);
  const few = Array.from({ length: 54 }, (_, at) => [at % 10 === 0 ? 1.5 * MIB : MIB / 4]);
  expect((await readsOf(few)).ids).toHaveLength(54);
  expect((await readsOf([Array.from({ length: 40 }, () => MIB)])).ids).toHaveLength(32);
});
