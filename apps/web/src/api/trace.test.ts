import type { LightSpan, SpanDetail } from '@candela/contract';
import { afterEach, expect, it, vi } from 'vitest';
import {
  around,
  asksAgain,
  awaitsEnd,
  awaitsMessages,
  mayFollow,
  spanQuery,
  traceExceptionsQuery,
  traceLogsQuery,
  traceSearchQuery,
} from './trace.ts';

const HOUR_MS = 3_600_000;
afterEach(() => vi.unstubAllGlobals());

it('keeps the lines of a trace that grows', () => {
  const [before, after] = [1, 2].map((endMs) => traceLogsQuery('t', { startMs: 0, endMs }).queryKey);
  expect(after).toEqual(before);
  expect(traceLogsQuery('t', { startMs: 0, endMs: 1 }, 's').queryKey).not.toEqual(before);
});

it('looks an hour around a trace, but not before the epoch', () => {
  expect(around({ startMs: 2 * HOUR_MS + 0.5, endMs: 2 * HOUR_MS + 1.5 })).toEqual({
    from: HOUR_MS,
    to: 3 * HOUR_MS + 2,
  });
  expect(around({ startMs: 90, endMs: 100 })).toEqual({ from: 0, to: HOUR_MS + 100 });
});

it('says whether a trace has more exceptions than were read', async () => {
  const answer = (data: unknown, nextCursor: string | null) => Response.json({ data, nextCursor });
  const occurrence = { id: 'o', message: 'too slow' };
  const ask = async (kinds: string | null, occurrences: string | null) => {
    vi.stubGlobal('fetch', async (url: string) =>
      url.endsWith('/search')
        ? answer([{ fingerprint: 'f', type: 'Timeout' }], kinds)
        : answer({ occurrences: [occurrence] }, occurrences),
    );
    const { queryFn } = traceExceptionsQuery('t', { startMs: 0, endMs: 1 }, false);
    return await (queryFn as (how: { signal: AbortSignal }) => Promise<unknown>)({
      signal: new AbortController().signal,
    });
  };
  const thrown = [{ ...occurrence, type: 'Timeout' }];
  expect(await ask(null, null)).toEqual({ thrown, more: false });
  expect(await ask('next', null)).toEqual({ thrown, more: true });
  expect(await ask(null, 'next')).toEqual({ thrown, more: true });
});

it('asks for exceptions twice a minute while the trace may get more, not with every new span', () => {
  const asked = (endMs: number, looksAgain: boolean) =>
    traceExceptionsQuery('t', { startMs: 0, endMs }, looksAgain);
  expect(asked(2, true).queryKey).toEqual(asked(1, true).queryKey);
  const again = ({ refetchInterval }: ReturnType<typeof asked>) => (refetchInterval as () => unknown)();
  expect(again(asked(1, true))).toBe(30_000);
  expect(again(asked(1, false))).toBe(false);
  // The last ones come after the trace has ended.
  expect(again(asked(Date.now(), false))).toBe(30_000);
});

it('searches a trace that grew again, and keeps what it found until then', () => {
  const { queryKey, placeholderData } = traceSearchQuery('t', 'heron', 2);
  expect(queryKey).not.toEqual(traceSearchQuery('t', 'heron', 1).queryKey);
  const kept = placeholderData as (found: unknown, before: { queryKey: unknown[] }) => unknown;
  expect(kept('found', { queryKey: ['trace-search', 't', 'heron', 1] })).toBe('found');
  expect(kept('found', { queryKey: ['trace-search', 't', 'crane', 1] })).toBeUndefined();
});

const ENDED = Date.parse('2026-11-22T12:00:01.000Z');
const MINUTE = 60_000;
const detail = (more: Partial<SpanDetail>): SpanDetail =>
  ({
    startTime: '2026-11-22T12:00:00.000Z',
    durationMs: 1_000,
    unfinished: false,
    convention: 'gen_ai',
    ...more,
  }) as SpanDetail;

it('waits a minute for the log records of what ended', () => {
  expect(mayFollow(ENDED, ENDED + MINUTE - 1)).toBe(true);
  expect(mayFollow(ENDED, ENDED + MINUTE)).toBe(false);
  expect(mayFollow(ENDED, ENDED - MINUTE)).toBe(false);
});

it('asks again for a span that was read before its messages had time to come', () => {
  const { staleTime } = spanQuery('t', 's');
  if (typeof staleTime !== 'function') throw new Error('The age depends on the span.');
  const readAt = (data: SpanDetail, dataUpdatedAt: number) =>
    staleTime({ state: { data, dataUpdatedAt } } as Parameters<typeof staleTime>[0]);
  expect(readAt(detail({}), ENDED + MINUTE)).toBe(Number.POSITIVE_INFINITY);
  expect(readAt(detail({}), ENDED + 2_000)).toBe(5_000);
  expect(readAt(detail({ unfinished: true }), ENDED + MINUTE)).toBe(0);
  // Only what a model said comes apart from its span.
  expect(readAt(detail({ convention: null }), ENDED)).toBe(Number.POSITIVE_INFINITY);
  expect(awaitsMessages(detail({}), ENDED)).toBe(true);
});

it('asks for the end of a span that the trace has it of, but not for good', () => {
  const light = (unfinished: boolean) =>
    ({ startTime: new Date(ENDED - 1_000).toISOString(), durationMs: 1_000, unfinished }) as LightSpan;
  expect(awaitsEnd(light(false), false, ENDED + MINUTE)).toBe(true);
  expect(awaitsEnd(light(false), false, ENDED + 5 * MINUTE)).toBe(false);
  expect(awaitsEnd(light(true), false, ENDED)).toBe(false);
  expect(awaitsEnd(light(true), true, ENDED + 60 * MINUTE)).toBe(true);
});

it('asks again for what was read without its end, else without the messages that follow it', () => {
  vi.useFakeTimers({ now: ENDED + 2_000 });
  const light = { startTime: '2026-11-22T12:00:00.000Z', durationMs: 1_000, unfinished: false } as LightSpan;
  expect(asksAgain(detail({ unfinished: true, convention: null }), light, false)).toBe(true);
  expect(asksAgain(detail({}), light, false)).toBe(true);
  expect(asksAgain(detail({ convention: null }), light, true)).toBe(false);
  vi.useRealTimers();
});

it('asks for one of several spans with one id by its start', async () => {
  const start = '2026-11-22T12:00:00.000Z';
  expect(spanQuery('t', 's', start).queryKey).not.toEqual(spanQuery('t', 's').queryKey);
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (url: string) => {
    asked.push(url);
    return Response.json({ data: {} });
  });
  for (const { queryFn } of [spanQuery('t', 's'), spanQuery('t', 's', start)])
    await (queryFn as (how: { signal: AbortSignal }) => Promise<unknown>)({
      signal: new AbortController().signal,
    });
  expect(asked.map((url) => url.replace(/^.*\/spans/, ''))).toEqual([
    '/s',
    '/s?start=2026-11-22T12%3A00%3A00.000Z',
  ]);
});
