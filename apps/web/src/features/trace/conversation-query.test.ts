import type { Conversation } from '@candela/semconv';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { conversationQuery, type SpokenSpan } from './conversation-query.ts';
import { testSpan } from './light-span.fixture.ts';
import type { Step } from './transcript.ts';

const ENDED = Date.parse('2026-11-22T12:00:01.000Z');
beforeEach(() => void vi.useFakeTimers({ now: ENDED + 2_000 }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const step = (more: Partial<Step> = {}): Step => ({
  span: testSpan('s', '', 'llm', 0, { startTime: '2026-11-22T12:00:00.000Z', durationMs: 1_000 }),
  key: 's',
  start: undefined,
  position: 0,
  agents: [],
  thread: '',
  ...more,
});
const silent: Conversation = {
  input: [],
  output: [],
  tools: [],
  toolExecution: undefined,
  retrievedDocuments: [],
  scores: [],
};
const asked = { ...silent, input: [{ role: 'user', parts: [] }] };
const answered = { ...asked, output: [{ role: 'assistant', parts: [] }] };
const spoken = (more: Partial<SpokenSpan> = {}): SpokenSpan => ({
  key: 's',
  conversation: asked,
  unfinished: false,
  convention: 'gen_ai',
  startTime: '2026-11-22T12:00:00.000Z',
  durationMs: 1_000,
  ...more,
});

/** What is done with an answer that was read now: asked again after so many milliseconds, and old after so many. */
function fate(data: SpokenSpan | undefined, of = step(), looksAgain = false) {
  const { refetchInterval, staleTime } = conversationQuery('t', of, looksAgain);
  if (typeof refetchInterval !== 'function' || typeof staleTime !== 'function')
    throw new Error('Both depend on the answer.');
  const query = { state: { data, dataUpdatedAt: Date.now() } } as Parameters<typeof refetchInterval>[0];
  return [refetchInterval(query), staleTime(query as Parameters<typeof staleTime>[0])];
}

it('asks again for messages that may still come, for a minute', () => {
  expect(fate(spoken())).toEqual([5_000, 5_000]);
  vi.setSystemTime(ENDED + 60_000);
  expect(fate(spoken())).toEqual([false, Number.POSITIVE_INFINITY]);
});

it("asks for nothing more of what has said all, or is no model's", () => {
  for (const whole of [
    spoken({ conversation: answered }),
    spoken({ conversation: { ...silent, toolExecution: { callId: '', arguments: '', result: '1' } } }),
    spoken({ convention: null }),
  ])
    expect(fate(whole)).toEqual([false, Number.POSITIVE_INFINITY]);
  expect(fate(undefined)[0]).toBe(false);
});

it('asks again for a span that ran when it was read, while the trace looks again and once it has its end', () => {
  const running = spoken({ unfinished: true, durationMs: 0, conversation: answered });
  const { span } = step();
  const still = step({ span: { ...span, light: { ...span.light, unfinished: true, durationMs: 0 } } });
  expect(fate(running, still, true)).toEqual([5_000, 0]);
  expect(fate(running, still, false)).toEqual([false, 0]);
  expect(fate(running, step(), false)).toEqual([5_000, 0]);
});

it('reads one of several spans with one id by its start', async () => {
  const urls: string[] = [];
  vi.stubGlobal('fetch', async (url: string) => {
    urls.push(url);
    return Response.json({ data: { ...spoken(), spanId: 's', conversation: answered } });
  });
  const start = '2026-11-22T12:00:00.500Z';
  const other = step({ key: `s ${start}`, start });
  const read = (of: Step) =>
    (conversationQuery('t', of, false).queryFn as (how: { signal: AbortSignal }) => Promise<SpokenSpan>)({
      signal: new AbortController().signal,
    });
  expect((await read(step())).key).toBe('s');
  expect((await read(other)).key).toBe(`s ${start}`);
  expect(urls[0]).not.toContain('start=');
  expect(urls[1]).toContain(`start=${encodeURIComponent(start)}`);
  expect(conversationQuery('t', other, false).queryKey).not.toEqual(
    conversationQuery('t', step(), false).queryKey,
  );
});
