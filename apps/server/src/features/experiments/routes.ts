import type { ExperimentItem, ExperimentView } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import type { JudgeDocument, JudgeItem, MetadataStore } from '@candela/metadata-store';
import type { Handlers } from '../../http/handlers.ts';
import { actorName, record } from '../audit/service.ts';
import { createDatasets, type ItemBody } from '../datasets/service.ts';
import {
  ENOUGH,
  type Evaluators,
  judgeScope,
  mcnemar,
  pairedDifference,
  wilson,
} from '../evaluations/service.ts';
import { EXPERIMENT_QUEUE, type ExperimentBody, type ExperimentRuns, type ResultBody } from './runs.ts';

type ExperimentHandlers = Pick<
  Handlers,
  | 'listExperiments'
  | 'createExperiment'
  | 'getExperiment'
  | 'resumeExperiment'
  | 'deleteExperiment'
  | 'listExperimentItems'
  | 'addExperimentItems'
  | 'compareExperiments'
>;

/** Changed items that a comparison lists. */
const MOST_CHANGED = 500;
const iso = (ms: number) => new Date(ms).toISOString();

const itemView = ({ key, status, body }: JudgeItem): ExperimentItem => {
  const { input, expectedOutput, output, error, durationMs, costUsd, scores } = body as ResultBody;
  return {
    id: key,
    status: status === 'done' || status === 'failed' ? status : 'queued',
    input,
    expectedOutput,
    output,
    error,
    durationMs,
    costUsd,
    scores: { ...scores },
  };
};

/** Experiments: a revision of a dataset through a prompt and model, or an application, and how it was judged. */
export function experimentHandlers({
  metadata,
  evaluators,
  runs,
}: {
  readonly metadata: MetadataStore;
  readonly evaluators: Evaluators;
  readonly runs: ExperimentRuns;
}): ExperimentHandlers {
  const datasets = createDatasets(metadata);
  const get = (context: RequestContext, id: string) =>
    metadata.judging.get(judgeScope(context), 'experiment', id);

  async function all(document: JudgeDocument): Promise<JudgeItem[]> {
    const items: JudgeItem[] = [];
    for await (const item of datasets.all(document.id, undefined)) items.push(item);
    return items;
  }

  async function view(document: JudgeDocument): Promise<ExperimentView> {
    const body = document.body as ExperimentBody;
    const items = await all(document);
    const results = items.map((item) => item.body as ResultBody);
    const count = (status: string) => items.filter((item) => item.status === status).length;
    const costs = results.map((one) => one.costUsd).filter((cost) => cost !== null);
    const costUsd = costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0);
    const waiting = items.length - count('done') - count('failed');
    const capped = body.capUsd !== null && (costUsd ?? 0) >= body.capUsd;
    return {
      id: document.id,
      name: document.name,
      datasetId: body.datasetId,
      dataset: body.dataset,
      revision: body.revision,
      target: body.target,
      evaluators: [...body.evaluators],
      capUsd: body.capUsd,
      status: waiting === 0 ? 'done' : capped ? 'paused' : 'running',
      counts: { total: items.length, done: count('done'), failed: count('failed'), waiting },
      costUsd,
      results: body.evaluators.map((evaluator) => {
        const scored = results
          .map(({ scores }) => scores[evaluator])
          .filter((one) => one?.state === 'scored');
        const passed = scored.filter((one) => one?.verdict === 'pass').length;
        const values = scored.map((one) => one?.value).filter((value) => typeof value === 'number');
        return {
          evaluator,
          judged: scored.length,
          of: items.length,
          passed,
          failed: scored.length - passed,
          mean: values.length === 0 ? null : values.reduce((sum, one) => sum + one, 0) / values.length,
          passRate: scored.length === 0 ? null : passed / scored.length,
          interval: wilson(passed, scored.length),
        };
      }),
      createdAt: iso(document.createdAt),
    };
  }

  return {
    listExperiments: async ({ context, query }) => {
      const scope = judgeScope(context);
      const dataset =
        query.dataset === undefined
          ? undefined
          : (await metadata.judging.get(scope, 'dataset', query.dataset)).id;
      const found = (await metadata.judging.list(scope, 'experiment')).filter(
        ({ body }) => dataset === undefined || (body as ExperimentBody).datasetId === dataset,
      );
      return { data: await Promise.all(found.slice(0, 50).map(view)) };
    },
    createExperiment: async ({ context, body }) => {
      const scope = judgeScope(context);
      const { target } = body;
      const dataset = await metadata.judging.get(scope, 'dataset', body.dataset);
      const revision = body.revision ?? dataset.revision;
      if (revision > dataset.revision) {
        throw fail('not_found', { what: `Revision ${revision} of the dataset "${dataset.name}"` });
      }
      if (target.kind !== 'external') await metadata.models.get(context, target.modelId);
      for (const id of body.evaluators) await evaluators.get(context, id);
      const items: JudgeItem[] = [];
      for await (const item of datasets.all(dataset.id, revision))
        if (item.status === 'ACTIVE') items.push(item);
      if (items.length === 0)
        throw fail('refused', { detail: `The dataset "${dataset.name}" has no active items.` });
      const { organisationId, databaseConfigId } = context;
      const kept: ExperimentBody = {
        datasetId: dataset.id,
        dataset: dataset.name,
        revision,
        target,
        evaluators: body.evaluators,
        capUsd: body.capUsd,
        tenant: { organisationId, databaseConfigId },
      };
      const name = body.name ?? `${dataset.name} ${crypto.randomUUID().slice(0, 8)}`;
      const made = await metadata.change(undefined, async (repositories) => {
        const document = await repositories.judging.create(scope, {
          kind: 'experiment',
          name,
          body: kept,
          by: actorName(context),
        });
        await repositories.judging.putItems(
          document.id,
          1,
          items.map(({ key, body: own }) => {
            const { input, expectedOutput } = own as ItemBody;
            const result: ResultBody = {
              input,
              expectedOutput,
              output: null,
              error: null,
              durationMs: null,
              costUsd: null,
              scores: {},
            };
            return { key, status: 'queued', body: result };
          }),
        );
        await record(repositories, context, {
          action: 'experiment.create',
          objectKind: 'experiment',
          objectId: document.id,
          details: { name, dataset: dataset.name, revision, target: target.kind, items: items.length },
        });
        return document;
      });
      if (target.kind !== 'external')
        await runs.enqueue(
          made,
          items.map(({ key }) => key),
        );
      return { data: await view(made) };
    },
    getExperiment: async ({ context, params }) => ({ data: await view(await get(context, params.id)) }),
    resumeExperiment: async ({ context, params, body }) => {
      const document = await get(context, params.id);
      const { leased } = await metadata.work.counts(EXPERIMENT_QUEUE, document.id);
      if (leased > 0) {
        throw fail('conflict', { detail: 'Items of this experiment are being run. Try again in a minute.' });
      }
      const experiment = document.body as ExperimentBody;
      const open = (await all(document)).filter(({ status }) => status !== 'done');
      const capUsd = body.capUsd === undefined ? experiment.capUsd : body.capUsd;
      const changed = await metadata.change(undefined, async (repositories) => {
        const { judging, work } = repositories;
        const kept = await judging.update(document, { body: { ...experiment, capUsd } });
        for (const { key, body: own } of open) {
          await judging.setItem(document.id, key, {
            status: 'queued',
            body: { ...(own as ResultBody), error: null },
          });
        }
        await work.remove(EXPERIMENT_QUEUE, { group: document.id });
        await record(repositories, context, {
          action: 'experiment.resume',
          objectKind: 'experiment',
          objectId: document.id,
          details: { name: document.name, items: open.length, capUsd },
        });
        return kept;
      });
      // Of an application only those that have an output are judged; the others wait for one.
      const isRun = ({ body: own }: JudgeItem) =>
        experiment.target.kind !== 'external' || (own as ResultBody).output !== null;
      await runs.enqueue(
        changed,
        open.filter(isRun).map(({ key }) => key),
      );
      return { data: await view(changed) };
    },
    deleteExperiment: async ({ context, params }) => {
      const document = await get(context, params.id);
      await metadata.change(undefined, async (repositories) => {
        await repositories.judging.delete(document);
        await repositories.work.remove(EXPERIMENT_QUEUE, { group: document.id });
        await record(repositories, context, {
          action: 'experiment.delete',
          objectKind: 'experiment',
          objectId: document.id,
          details: { name: document.name },
        });
      });
      return { data: { id: document.id } };
    },
    listExperimentItems: async ({ context, params, query }) => {
      const { id } = await get(context, params.id);
      const after = query.cursor === undefined ? undefined : Number(query.cursor);
      const items = await metadata.judging.items(id, { after, limit: query.limit });
      const last = items.length === query.limit ? items.at(-1) : undefined;
      return { data: items.map(itemView), nextCursor: last === undefined ? null : String(last.position) };
    },
    addExperimentItems: async ({ context, params, body }) => {
      const document = await get(context, params.id);
      if ((document.body as ExperimentBody).target.kind !== 'external') {
        throw fail('refused', {
          detail: 'This experiment asks a model itself. Outputs are taken by external ones.',
        });
      }
      const keys: string[] = [];
      for (const { itemId, output, error, durationMs, costUsd, traceId } of body.items) {
        const item = await metadata.judging.item(document.id, itemId);
        if (item === undefined) throw fail('not_found', { what: `The item "${itemId}" of this experiment` });
        if (item.status !== 'queued' || (item.body as ResultBody).output !== null) continue;
        const next: ResultBody = {
          ...(item.body as ResultBody),
          output: output ?? null,
          error: error ?? (output === undefined ? 'There is no output.' : null),
          durationMs: durationMs ?? null,
          costUsd: costUsd ?? null,
          traceId: traceId?.toLowerCase() ?? null,
        };
        await metadata.judging.setItem(document.id, itemId, { body: next });
        keys.push(itemId);
      }
      await runs.enqueue(document, keys);
      return { data: { taken: keys.length } };
    },
    compareExperiments: async ({ context, params, query }) => {
      const [after, before] = await Promise.all([get(context, params.id), get(context, query.with)]);
      const [afterBody, beforeBody] = [after.body as ExperimentBody, before.body as ExperimentBody];
      if (afterBody.datasetId !== beforeBody.datasetId) {
        throw fail('refused', {
          detail: 'The two experiments are of different datasets: nothing can be compared.',
        });
      }
      const earlier = new Map((await all(before)).map((item) => [item.key, item.body as ResultBody]));
      const items = (await all(after)).filter(({ key }) => earlier.has(key));
      const shared = afterBody.evaluators.filter((id) => beforeBody.evaluators.includes(id));
      const changes: {
        id: string;
        evaluator: string;
        change: 'worse' | 'better' | 'unjudged';
        before: ResultBody['scores'][string] | null;
        after: ResultBody['scores'][string] | null;
        input: unknown;
        outputBefore: string | null;
        outputAfter: string | null;
      }[] = [];
      const rows = shared.map((evaluator) => {
        let [better, worse, pairs] = [0, 0, 0];
        const differences: number[] = [];
        for (const { key, body } of items) {
          const now = body as ResultBody;
          const then = earlier.get(key);
          const [was, is] = [then?.scores[evaluator] ?? null, now.scores[evaluator] ?? null];
          const note = (change: 'worse' | 'better' | 'unjudged') =>
            changes.push({
              id: key,
              evaluator,
              change,
              before: was,
              after: is,
              input: now.input,
              outputBefore: then?.output ?? null,
              outputAfter: now.output,
            });
          if (was?.state !== 'scored' || is?.state !== 'scored') {
            note('unjudged');
            continue;
          }
          pairs += 1;
          if (was.value !== null && is.value !== null) differences.push(is.value - was.value);
          if (was.verdict === is.verdict) continue;
          if (is.verdict === 'pass') better += 1;
          else worse += 1;
          note(is.verdict === 'pass' ? 'better' : 'worse');
        }
        return {
          evaluator,
          pairs,
          of: items.length,
          better,
          worse,
          p: pairs < ENOUGH ? null : mcnemar(better, worse),
          difference: pairedDifference(differences),
        };
      });
      const rank = { worse: 0, unjudged: 1, better: 2 };
      return {
        data: {
          evaluators: rows,
          items: changes.toSorted((a, b) => rank[a.change] - rank[b.change]).slice(0, MOST_CHANGED),
        },
      };
    },
  };
}
