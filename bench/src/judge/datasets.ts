import { type Figure, thousands } from '../lib/table.ts';
import { withTempDir } from '../lib/temp.ts';
import { Site, until } from './site.ts';
import { startJudge } from './vendor.ts';

const linesOf = (items: number): string =>
  Array.from({ length: items }, (_, n) =>
    JSON.stringify({ id: `i${n}`, input: { q: `subject-${n}.` }, expectedOutput: 'x' }),
  ).join('\n');

/** Reading a file, and an experiment over kill -9. */
export async function datasets(items: number, runs: number, kills: number): Promise<Figure[]> {
  const { vendor, judged } = await startJudge(5);
  try {
    return await withTempDir(async (dataDir) => {
      const site = await Site.open(dataDir);
      const read = async (name: string, count: number) => {
        await site.ask('POST', '/api/evaluation/datasets', { name });
        const body = { format: 'jsonl', text: linesOf(count) };
        const began = performance.now();
        await site.ask('POST', `/api/evaluation/datasets/${name}/import`, body);
        return performance.now() - began;
      };
      const importMs = await read('file', items);
      await read('run', runs);
      const modelId = await site.model(vendor.url);
      await site.ask('PUT', '/api/evaluation/config', { modelId, dailyCapUsd: null });
      const { id } = await site.ask<{ id: string }>('POST', '/api/evaluation/experiments', {
        dataset: 'run',
        target: { kind: 'template', text: 'Say {{q}}', modelId },
        evaluators: ['relevance'],
      });
      const began = performance.now();
      await site.killed(kills, () => 300 + Math.random() * 1_700);
      const path = `/api/evaluation/experiments/${id}`;
      type View = { status: string; counts: { total: number; done: number; failed: number } };
      await until('the experiment is done', 3_600_000, async () => {
        return (await site.ask<View>('GET', path)).status === 'done';
      });
      const seconds = (performance.now() - began) / 1_000;
      const { counts } = await site.ask<View>('GET', path);
      const scores = async () => {
        let [rows, cursor] = [0, ''];
        do {
          const more = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
          const answer = await site.fetch('GET', `/api/evaluation/scores?runId=${id}&limit=500${more}`);
          const page = (await answer.json()) as { data: unknown[]; nextCursor: string | null };
          rows += page.data.length;
          cursor = page.nextCursor ?? '';
        } while (cursor !== '');
        return rows;
      };
      await until('its scores are stored', 120_000, async () => (await scores()) >= counts.done);
      const rows = await scores();
      await site.process.stop();
      const again = [...judged.values()].reduce((sum, times) => sum + times - 1, 0);
      return [
        {
          what: `a file of ${thousands(items)} items is read into a dataset`,
          value: `${thousands(importMs)} ms`,
          against: 'goal 5,000 ms',
        },
        {
          what: `an experiment of ${thousands(runs)} items, a fifth of the calls refused, ${kills} kill -9: done, failed, scores`,
          value: `${thousands(counts.done)}, ${counts.failed}, ${thousands(rows)} in ${thousands(seconds)} s; ${again} judged anew`,
          against: 'every item once',
        },
      ];
    });
  } finally {
    await vendor.close();
  }
}
