/** Scores, datasets and experiments, against small real servers. */
import { describe, expect, test } from 'vitest';
import { client, json, serve } from './testing/servers.ts';

describe('evaluations', () => {
  test('a score has one id over all attempts', async () => {
    const { url, seen } = await serve(
      json(503, { err: 'away' }, { 'retry-after': '0' }),
      json(200, { data: { id: 'x' } }),
    );
    const result = await client(url).addScore({ name: 'thumbs', value: true, traceId: 'a'.repeat(32) });
    expect(result).toEqual({ id: 'x' });
    const ids = seen.map(({ body }) => (body as { id: string }).id);
    expect(ids).toHaveLength(2);
    expect(ids[0]).toBe(ids[1]);
    await expect(client(url).addScore({ name: 'empty' })).rejects.toMatchObject({ code: 'configuration' });
  });

  test('datasets and experiments by their names', async () => {
    const { url, seen } = await serve(
      json(200, { data: { revision: 2, ids: ['a'] } }),
      json(200, { data: { id: 'e' } }),
      json(200, { data: { taken: 1 } }),
    );
    const candela = client(url);
    expect(await candela.addDatasetItems({ dataset: 'my set', items: [{ input: 1 }] })).toEqual({
      ids: ['a'],
    });
    const made = await candela.createExperiment({ dataset: 'my set', name: 'n', evaluators: ['equals'] });
    await candela.addExperimentOutputs({ experiment: made.id, items: [{ itemId: 'a', output: 'x' }] });
    expect(seen.map(({ path }) => path)).toEqual([
      '/api/evaluation/datasets/my%20set/items',
      '/api/evaluation/experiments',
      '/api/evaluation/experiments/e/items',
    ]);
    expect(seen[1]?.body).toMatchObject({ target: { kind: 'external' } });
  });
});
