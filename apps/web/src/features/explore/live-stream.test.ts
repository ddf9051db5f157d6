import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watchStream } from './live-stream.ts';

const encoder = new TextEncoder();

describe('a stream of rows', () => {
  /** The id that each connection went on after, and what speaks on the last one. */
  let asked: (string | null)[];
  let say: (text: string) => void;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    asked = [];
    vi.stubGlobal('fetch', (_address: string, { headers }: { headers: Headers }) => {
      asked.push(headers.get('last-event-id'));
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          say = (text) => controller.enqueue(encoder.encode(text));
        },
      });
      return Promise.resolve(new Response(body));
    });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  function watch() {
    const leave = new AbortController();
    const rows: unknown[] = [];
    const states: string[] = [];
    const reasons: unknown[] = [];
    const resume = { id: '' };
    void watchStream({
      query: () => ({ signal: 'spans' }),
      environment: undefined,
      resume,
      abort: leave.signal,
      onRows: (arrived) => rows.push(...arrived),
      onSkipped: () => undefined,
      onState(state, reason) {
        states.push(state);
        if (reason !== undefined) reasons.push(reason);
      },
    });
    return { rows, states, reasons, resume, leave };
  }

  it('that says nothing, not even that it lives, is a lost connection: it goes on where it stopped', async () => {
    const { rows, states, leave } = watch();
    await vi.advanceTimersByTimeAsync(0);
    say('event: rows\nid: a.1.1\ndata: [1]\n\n');
    await vi.advanceTimersByTimeAsync(40_000);
    expect(rows).toEqual([1]);
    say(':\n\n');
    await vi.advanceTimersByTimeAsync(40_000);
    expect(states).toEqual(['connecting', 'live']);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(states).toEqual(['connecting', 'live', 'again', 'connecting', 'live']);
    expect(asked).toEqual([null, 'a.1.1']);
    leave.abort();
  });

  it('gives nothing more once it was left', async () => {
    const { rows, resume, leave } = watch();
    await vi.advanceTimersByTimeAsync(0);
    say('event: rows\nid: a.1.1\ndata: [1]\n\n');
    leave.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(rows).toEqual([]);
    expect(resume.id).toBe('');
  });

  const failure = (status: number, more = {}) =>
    `event: failure\ndata: ${JSON.stringify({ err: 'No.', code: 'some_code', status, requestId: 'r', ...more })}\n\n`;

  it('that ends with what asking again cannot change is refused, with the reason', async () => {
    const { states, reasons } = watch();
    await vi.advanceTimersByTimeAsync(0);
    say(failure(422));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(states).toEqual(['connecting', 'live', 'refused']);
    expect(reasons).toEqual([
      expect.objectContaining({ message: 'No.', status: 422, code: 'some_code', requestId: 'r' }),
    ]);
    expect(asked).toHaveLength(1);
  });

  it('that ends with a trouble of the server comes back, no sooner than the server said', async () => {
    const { states, reasons, leave } = watch();
    await vi.advanceTimersByTimeAsync(0);
    say(failure(503, { code: 'overloaded', retryAfterSeconds: 60 }));
    await vi.advanceTimersByTimeAsync(59_000);
    expect(states).toEqual(['connecting', 'live', 'again']);
    expect(reasons).toEqual([expect.objectContaining({ status: 503, retryAfterSeconds: 60 })]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(states.slice(3, 5)).toEqual(['connecting', 'live']);
    leave.abort();
  });
});
