import { cpSync } from 'node:fs';
import { startPlatform } from '@candela/testkit';
import { LoadClient } from '../ingest/client.ts';
import type { PhaseResult } from '../ingest/protocol.ts';
import { Api } from '../lib/api.ts';
import { Latencies } from '../lib/latency.ts';
import { sleep, withTempDir } from '../lib/temp.ts';
import type { Question } from './question.ts';

/** What is asked of a store that is written to, by name: a list, a chart, and what is made of several rollups. */
const ASKED: readonly string[] = [
  'first page of traces, newest first',
  'chart: spans and errors over time',
  'sessions, latest first',
];
export const SPANS_PER_SECOND = 20_000;
/** Until inserts and merges are under way. */
const WARM_UP_MS = 15_000;
const SECONDS = 60;
/** Between a page and the next of whoever looks. */
const PAUSE_MS = 250;

export interface WhileSpansComeIn {
  readonly questions: readonly (Pick<Question, 'name' | 'goalMs'> & { readonly latencies: Latencies })[];
  readonly ingest: PhaseResult;
}

/**
 * Asks one question after another while spans come in on a fixed schedule and are merged. The folder is copied first, so
 * that one that is kept holds what it held. Undefined when nothing of the choice is asked here.
 */
export async function whileSpansComeIn(
  of: { readonly dataDir: string; readonly env: Readonly<Record<string, string>> },
  choice: readonly Question[],
): Promise<WhileSpansComeIn | undefined> {
  const asked = choice.filter(({ name }) => ASKED.includes(name));
  if (asked.length === 0) return undefined;
  return withTempDir(async (dataDir) => {
    cpSync(of.dataDir, dataDir, { recursive: true });
    const client = await LoadClient.start();
    const platform = await startPlatform({ dataDir, env: of.env });
    try {
      const api = new Api(platform.http);
      const loading = client.run({
        endpoint: platform.otlpHttp,
        connections: 8,
        seconds: SECONDS,
        spansPerSecond: SPANS_PER_SECOND,
        seed: (Date.now() % 1_000_000) + 1,
      });
      const until = performance.now() + SECONDS * 1_000;
      const questions = asked.map(({ name, goalMs }) => ({ name, goalMs, latencies: new Latencies() }));
      await sleep(WARM_UP_MS);
      for (let turn = 0; performance.now() < until; turn++) {
        for (const [at, question] of asked.entries()) {
          const startedAt = performance.now();
          const answer = await question.ask(api, turn);
          questions[at]?.latencies.add(performance.now() - startedAt);
          question.check(answer);
        }
        await sleep(PAUSE_MS);
      }
      const ingest = await loading;
      if (Object.keys(ingest.failures).length > 0) {
        throw new Error(`Refused requests with spans: ${JSON.stringify(ingest.failures)}`);
      }
      return { questions, ingest };
    } finally {
      await platform.stop();
      await client.stop();
    }
  });
}
