import { ENDLESS_MODEL, startFakeAi } from '@candela/testkit';
import { Latencies } from '../lib/latency.ts';
import { type Figure, thousands } from '../lib/table.ts';
import type { Call } from './index.ts';

const ANSWER = 'Most of them came from the shop, and half failed. '.repeat(10);
const SOON_MS = 10_000;

/** The assistant without the time of a vendor: until the first word, until a stop is there, and a long conversation. */
export async function conversationFigures(
  call: Call,
  questions: number,
  messages: number,
): Promise<Figure[]> {
  let askedAt = 0;
  const ai = await startFakeAi({
    chunkDelayMs: 0,
    respond: ({ model }) => {
      askedAt = performance.now();
      return model === ENDLESS_MODEL ? undefined : { text: ANSWER };
    },
  });
  const answeredBy = async (model: string) =>
    call('PUT', '/api/chat/config', { provider: 'openai-compatible', model, baseUrl: `${ai.url}/v1` });
  const begun = async (): Promise<string> => {
    const { data } = (await (await call('POST', '/api/chat/conversation', {})).json()) as {
      data: { id: string };
    };
    return data.id;
  };
  try {
    await answeredBy('gpt-4o-mini');
    const [reached, first] = [new Latencies(), new Latencies()];
    for (let n = -5; n < questions; n += 1) {
      const conversationId = await begun();
      const begin = performance.now();
      const answer = await call('POST', '/api/chat/message', { conversationId, content: `Question ${n}?` });
      const firstAt = await until(answer, 'Most');
      // An answer goes on without its reader, and few may be under way at once.
      await drained(answer);
      // The first ones warm up.
      if (n < 0) continue;
      reached.add(askedAt - begin);
      first.add(firstAt - begin);
    }
    const opened = await openingFigure(call, await begun(), messages);
    await answeredBy(ENDLESS_MODEL);
    const stops = new Latencies();
    for (let n = 0; n < Math.min(questions, 20); n += 1) stops.add(await stopped(call, await begun(), ai));
    const line = (what: string, all: Latencies, against: string): Figure => ({
      what: `${what}, p50 / p95`,
      value: `${thousands(all.quantile(0.5), 1)} / ${thousands(all.quantile(0.95), 1)} ms`,
      against,
    });
    return [
      line('question until the vendor has it', reached, ''),
      line('question until the first words are back', first, 'goal 50 ms'),
      line('stop until the call of the vendor is gone', stops, 'goal 100 ms'),
      opened,
    ];
  } finally {
    await ai.close();
  }
}

/** When a text has come by an answer that streams; the answer is left open. */
async function until(answer: Response, text: string): Promise<number> {
  const decoder = new TextDecoder();
  let seen = '';
  if (answer.body === null) throw new Error('no body');
  const reader = answer.body.getReader();
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      seen += decoder.decode(step.value as Uint8Array, { stream: true });
      if (seen.includes(text)) return performance.now();
    }
  } finally {
    reader.releaseLock();
  }
  throw new Error(`the answer ended without "${text}": ${seen.slice(-300)}`);
}

/** Reads what is left of an answer. */
async function drained({ body }: Response): Promise<void> {
  if (body === null) return;
  const reader = body.getReader();
  while (!(await reader.read()).done);
}

async function stopped(call: Call, conversationId: string, ai: { readonly open: number }): Promise<number> {
  const answer = await call('POST', '/api/chat/message', { conversationId, content: 'Go on' });
  await until(answer, 'event: message');
  const { data } = (await (await call('GET', `/api/chat/conversation/${conversationId}`)).json()) as {
    data: { thread: { id: string }[] };
  };
  while (ai.open === 0) await tick();
  const begin = performance.now();
  const [, took] = await Promise.all([
    call('POST', `/api/chat/message/${data.thread[1]?.id ?? ''}/stop`, {}),
    (async () => {
      while (ai.open > 0 && performance.now() - begin < SOON_MS) await tick();
      return performance.now() - begin;
    })(),
  ]);
  await answer.body?.cancel();
  return took;
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function openingFigure(call: Call, conversationId: string, messages: number): Promise<Figure> {
  for (let n = 0; n < messages; n += 2) {
    await (await call('POST', '/api/chat/message', { conversationId, content: `Question ${n}?` })).text();
  }
  const took = new Latencies();
  let bytes = 0;
  for (let n = 0; n < 20; n += 1) {
    const begin = performance.now();
    bytes = (await (await call('GET', `/api/chat/conversation/${conversationId}`)).text()).length;
    took.add(performance.now() - begin);
  }
  return {
    what: `a conversation of ${thousands(messages)} messages opens, p50 / max`,
    value: `${thousands(took.quantile(0.5), 1)} / ${thousands(took.max, 1)} ms, ${thousands(bytes / 1_024)} KiB`,
    against: 'goal 300 ms',
  };
}
