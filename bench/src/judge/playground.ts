import { startFakeAi } from '@candela/testkit';
import { Latencies } from '../lib/latency.ts';
import { type Figure, thousands } from '../lib/table.ts';
import { withTempDir } from '../lib/temp.ts';
import { Site } from './site.ts';

const COLUMNS = 6;
const messages = [{ role: 'user', text: 'hi' }];

/** Milliseconds until a stream has shown `text` so many times. */
async function untilSeen(answer: Response, text: string, times: number): Promise<number> {
  const began = performance.now();
  let [seen, all] = [0, ''];
  const decoder = new TextDecoder();
  let at = Number.NaN;
  for await (const part of answer.body ?? []) {
    all += decoder.decode(part as Uint8Array, { stream: true });
    seen = new Set([...all.matchAll(new RegExp(text, 'g'))].map(([match]) => match)).size;
    if (Number.isNaN(at) && seen >= times) at = performance.now() - began;
  }
  return at;
}

/** Six columns at once: when the last of them shows its first words, beside the same calls at the vendor itself. */
export async function playground(rounds: number): Promise<Figure[]> {
  const vendor = await startFakeAi({ chunkDelayMs: 5 });
  try {
    return await withTempDir(async (dataDir) => {
      const site = await Site.open(dataDir);
      const modelId = await site.model(vendor.url);
      const columns = Array.from({ length: COLUMNS }, () => ({ modelId, messages }));
      const [ours, bare] = [new Latencies(), new Latencies()];
      const body = JSON.stringify({
        model: 'house-model',
        stream: true,
        messages: [{ role: 'user', content: 'hi' }],
      });
      for (let round = -2; round < rounds; round += 1) {
        let began = performance.now();
        const direct = await Promise.all(
          columns.map(async () => {
            const headers = { 'content-type': 'application/json' };
            const answer = await fetch(`${vendor.url}/v1/chat/completions`, {
              method: 'POST',
              headers,
              body,
            });
            const opened = performance.now() - began;
            return opened + (await untilSeen(answer, 'Hello', 1));
          }),
        );
        began = performance.now();
        const answer = await site.fetch('POST', '/api/playground/run', { columns });
        const opened = performance.now() - began;
        // An event a column: six different beginnings of `delta`.
        const last = opened + (await untilSeen(answer, 'event: delta\\ndata: \\{"column":\\d', COLUMNS));
        if (round < 0) continue;
        ours.add(last);
        bare.add(Math.max(...direct));
      }
      await site.process.stop();
      const told = (all: Latencies) => `${thousands(all.quantile(0.5))} / ${thousands(all.max)} ms`;
      return [
        {
          what: 'six columns: the last of them has its first words, p50 / max',
          value: told(ours),
          against: `the vendor itself: ${told(bare)}; goal 50 ms more`,
        },
      ];
    });
  } finally {
    await vendor.close();
  }
}
