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
    const resume = { id: '' };
    const done = watchStream({
      address: () => '/api/telemetry/tail',
      environment: undefined,
      resume,
      abort: leave.signal,
      onRows: (arrived) => rows.push(...arrived),
      onSkipped: () => undefined,
      onState: (state) => states.push(state),
    });
    return { rows, states, resume, leave, done };
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
});
