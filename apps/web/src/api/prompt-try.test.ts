import { afterEach, expect, it, vi } from 'vitest';
import { tryPromptWith } from './prompt-try.ts';

afterEach(() => vi.unstubAllGlobals());

/** What comes of a try whose answer is that text. */
async function tried(text: string): Promise<unknown[]> {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(text)));
  const { signal } = new AbortController();
  const events: unknown[] = [];
  for await (const event of tryPromptWith(undefined, 'p', { modelId: 'm', text: 'Hello' }, signal))
    events.push(event);
  return events;
}

const delta = 'event: delta\ndata: {"text":"Hi"}\n\n';

it('a try that fails after its begin is refused as it would have been before', async () => {
  const data = { err: 'Too much.', code: 'overloaded', status: 503, retryAfterSeconds: 7, requestId: 'r' };
  await expect(tried(`${delta}event: failure\ndata: ${JSON.stringify(data)}\n\n`)).rejects.toMatchObject({
    name: 'ApiError',
    message: 'Too much.',
    code: 'overloaded',
    status: 503,
    retryAfterSeconds: 7,
    requestId: 'r',
  });
});

it('a try without an end broke off, and one with an end is all that came', async () => {
  await expect(tried(delta)).rejects.toMatchObject({ code: 'unreachable' });
  const events = await tried(`${delta}event: done\ndata: {}\n\nevent: delta\ndata: {}\n\n`);
  expect(events).toEqual([
    { event: 'delta', data: { text: 'Hi' } },
    { event: 'done', data: {} },
  ]);
});
