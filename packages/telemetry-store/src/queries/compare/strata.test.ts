import { parseFilterOrFail } from '@candela/contract';
import { fail } from '@candela/kernel';
import { expect, it } from 'vitest';
import type { Runner } from '../core/run.ts';
import { contextOf } from '../core/testing.ts';
import { SPANS } from '../spans/span-fields.ts';
import { layStrata } from './strata.ts';

type Row = Record<string, unknown>;
type How = Parameters<Runner['run']>[2];

/** How rows lie whose selection is too rare for an estimate, and how they were searched for. */
async function layRare(selection: string, search: () => readonly Row[]) {
  const searched: How[] = [];
  const answers: (() => readonly Row[])[] = [
    () => [0, 23].map((B) => ({ B, N: 250_000 })),
    () => [0, 23].map((B) => ({ B, N: 10_000, S: 0, R: 10_000 })),
    search,
  ];
  const runner: Runner = {
    run: async <T>(_scope: unknown, _sql: string, how: How) => {
      if (answers.length === 1) searched.push(how);
      return (answers.shift()?.() ?? []) as T[];
    },
    seen: (context, _source, ask) => ask(context),
    visible: () => Promise.resolve(undefined),
    storeOf: () => Promise.reject(new Error('no store')),
  };
  const { strata } = await layStrata(runner, contextOf(), SPANS, {
    window: { from: 0n, to: 24_000_000_000n },
    filter: undefined,
    selection: parseFilterOrFail(selection, 'spans'),
  });
  return { strata, searched };
}

it('searches for what is rare over fewer rows where it looks for words, and never for long', async () => {
  const none = () => [];
  const { searched } = await layRare('text:needle', none);
  expect(searched).toEqual([{ maxRows: 4_000_000, maxMs: 10_000 }]);
  const attribute = await layRare('attributes.shop.id:7', none);
  expect(attribute.searched).toEqual([{ maxRows: 20_000_000, maxMs: 10_000 }]);
});

it('keeps the estimate where the search takes too long', async () => {
  const { strata } = await layRare('text:needle', () => {
    throw fail('query_too_expensive', { resource: 'time (limit 10 s)' });
  });
  expect(strata).toMatchObject({ estimated: true, whole: false });
});

it('counts no fewer than no rows of the rest, though more were found than were counted before', async () => {
  const { strata } = await layRare('text:needle', () => [{ B: 0, N: 250_001, At: ['5'] }]);
  expect([strata.selection[0], strata.rest[0]]).toEqual([250_001, 0]);
});
