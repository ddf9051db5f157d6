import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@candela/kernel';
import { openMetadataStore } from '@candela/metadata-store';
import { expect, it } from 'vitest';
import { contextOf } from '../../jobs/runner.ts';
import { createEvaluators } from '../evaluations/evaluators.ts';
import { createExperimentRuns, type ExperimentBody, type ResultBody } from './runs.ts';

const SCOPE = { projectId: 'default', environment: 'production' };
const TENANT = { organisationId: 'default', databaseConfigId: 'default' };
/** No test of this file asks a model. */
const NO_MODEL = {
  models: { complete: () => Promise.reject(new Error('no model')) } as never,
  prompts: { compiled: () => Promise.reject(new Error('no prompt')) },
};

it('a score that was judged and not recorded is recorded by whoever takes the item next, as the same score', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'candela-experiment-'));
  let now = Date.UTC(2026, 0, 2);
  const metadata = await openMetadataStore({ dataDir: dir, logger: silentLogger, clock: { now: () => now } });
  try {
    const evaluators = createEvaluators({ metadata, models: NO_MODEL.models });
    const recorded: string[] = [];
    const killed = new AbortController();
    const runs = createExperimentRuns({
      metadata,
      evaluators,
      ...NO_MODEL,
      jobs: { owner: 'me', trigger: async () => undefined },
      ingest: {
        submit: async (_context, _signal, request) => {
          if (!killed.signal.aborted) {
            killed.abort();
            throw new Error('ended before it was durable');
          }
          recorded.push(JSON.stringify(request));
          return {} as never;
        },
      },
    });
    await metadata.judging.create(SCOPE, {
      kind: 'evaluator',
      name: 'right',
      by: 'ada',
      body: {
        label: 'Right',
        description: '',
        enabled: true,
        kind: 'equals',
        prompt: '',
        modelId: null,
        threshold: 1,
        settings: {},
        auto: null,
      },
    });
    const experiment: ExperimentBody = {
      datasetId: 'd',
      dataset: 'd',
      revision: 1,
      target: { kind: 'external' },
      evaluators: ['right'],
      capUsd: null,
      tenant: TENANT,
    };
    const document = await metadata.judging.create(SCOPE, {
      kind: 'experiment',
      name: 'e',
      by: 'ada',
      body: experiment,
    });
    const answered: ResultBody = {
      input: 'Capital of France?',
      expectedOutput: 'Paris',
      output: 'Paris',
      error: null,
      durationMs: 5,
      costUsd: null,
      scores: {},
    };
    await metadata.judging.putItems(document.id, 1, [{ key: 'a', status: 'queued', body: answered }]);
    await runs.enqueue(document, ['a']);
    const round = (signal: AbortSignal) =>
      runs.job.run({
        signal,
        now: () => now,
        logger: silentLogger,
        contextOf,
      });
    const judgedAt = now;
    await round(killed.signal);
    const half = await metadata.judging.item(document.id, 'a');
    expect(half?.status).toBe('queued');
    expect((half?.body as ResultBody | undefined)?.scores['right']).toMatchObject({
      state: 'scored',
      verdict: 'pass',
    });
    now += 600_000;
    await round(new AbortController().signal);
    expect((await metadata.judging.item(document.id, 'a'))?.status).toBe('done');
    expect(recorded).toHaveLength(1);
    expect(recorded[0]).toContain(`${document.id}:a:right`);
    // Of the moment at which it was judged: a kill after this would record the very same once more.
    expect(recorded[0]).toContain(`${BigInt(judgedAt) * 1_000_000n}`);
  } finally {
    await metadata.close();
    rmSync(dir, { recursive: true, force: true });
  }
});
