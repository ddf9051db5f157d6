import { type FakeAi, startFakeAi } from '@candela/testkit';
import { ask, OWNER } from '../people.ts';
import type { Stage } from '../stage.ts';
import { assistantAnswer, assistantShots, seedAssistant } from './assistant.ts';
import { demo } from './demo.ts';
import type { ShotGroup } from './shot.ts';
import { PHONE } from './shot.ts';

const ids = { model: '', dataset: '', experiment: '', other: '', queue: '', trace: '', span: '' };

/** Asks until it is true; what is waited for is work of the platform. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isTrue()); tries++) {
    if (tries > 200) throw new Error('The runs did not end.');
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

const REASONS = [
  'The answer names the policy that it rests on and stays within it.',
  'It promises a refund "within 60 days", which the context does not say.',
  'It leaves out the second question, about the delivery address.',
];

/** A judge whose level depends on what it is shown, so that pages have passed and failed verdicts. */
function startJudge(): Promise<FakeAi> {
  let asked = 0;
  return startFakeAi({
    respond: (body) => {
      const text = JSON.stringify(body);
      if (!text.includes('You judge an answer')) return assistantAnswer(body);
      const level = [0, 0, 1, 0, 3, 0, 4][asked++ % 7] ?? 0;
      const reason = REASONS[level === 0 ? 0 : level > 2 ? 1 : 2];
      return { text: JSON.stringify({ reason, level, classification: level > 1 ? 'unsupported' : 'none' }) };
    },
  });
}

async function seed(stage: Stage): Promise<void> {
  const judge = await startJudge();
  const { page } = await stage.open('/', { as: OWNER });
  const post = <T>(path: string, data: unknown) => ask<T>(page, stage, 'POST', path, { data });
  const get = <T>(path: string) => ask<T>(page, stage, 'GET', path);
  const { apiKey } = await post<{ apiKey: string }>('/api/api-key', { name: 'demo', scopes: ['ingest'] });
  await demo(stage, apiKey, '2h');
  const made = await post<{ id: string }>('/api/models', {
    name: 'house judge',
    provider: 'openai-compatible',
    model: 'house-model',
    baseUrl: `${judge.url}/v1`,
  });
  ids.model = made.id;
  await seedAssistant(stage, page, made.id);
  const config = { modelId: made.id, dailyCapUsd: 5 };
  await ask(page, stage, 'PUT', '/api/evaluation/config', { data: config });
  await post('/api/evaluation/evaluators', {
    id: 'short_enough',
    label: 'Short enough',
    kind: 'length',
    settings: { max: 400 },
    threshold: 0.5,
    auto: { q: 'operation:chat', sampleRate: 0.5 },
  });
  let found: { traceId: string; spanId: string }[] = [];
  await until(async () => {
    const body = { q: 'operation:chat completion:*', from: '-24h', limit: 30 };
    found = await post<typeof found>('/api/telemetry/spans/search', body);
    return found.length === 30;
  });
  const spans = found.map(({ traceId, spanId }) => ({ traceId, spanId }));
  ids.trace = spans[0]?.traceId ?? '';
  ids.span = spans[0]?.spanId ?? '';
  const evaluators = ['hallucination', 'relevance', 'short_enough'];
  await post('/api/evaluation/runs', { evaluators, spans: spans.slice(0, 24) });
  for (const [at, { traceId }] of spans.entries()) {
    const feedback = { id: `thumb-${at}`, traceId, name: 'thumbs', value: at % 3 !== 0 };
    await post('/api/evaluation/scores', { ...feedback, comment: at % 3 === 0 ? 'not what I asked' : '' });
  }
  const dataset = await post<{ id: string }>('/api/evaluation/datasets', {
    name: 'golden',
    description: 'What support is asked most.',
  });
  ids.dataset = dataset.id;
  await post(`/api/evaluation/datasets/${dataset.id}/items`, {
    items: Array.from({ length: 24 }, (_, at) => ({
      id: `case-${at}`,
      input: { question: `Where is order ${4_700 + at}? It was to arrive on Monday.` },
      expectedOutput: 'It is on its way.',
    })),
  });
  await post(`/api/evaluation/datasets/${dataset.id}/items`, { spans: spans.slice(0, 3) });
  const experiment = (name: string, text: string) =>
    post<{ id: string }>('/api/evaluation/experiments', {
      name,
      dataset: 'golden',
      evaluators: ['relevance', 'short_enough'],
      target: { kind: 'template', text, modelId: made.id },
    });
  ids.experiment = (await experiment('before', 'Answer: {{question}}')).id;
  ids.other = (await experiment('after', 'Answer kindly and briefly: {{question}}')).id;
  const queue = await post<{ id: string }>('/api/evaluation/queues', {
    name: 'Refunds',
    instructions: 'Does it keep to the policy?',
    reviewers: 2,
    fields: [
      { name: 'policy', kind: 'pass_fail' },
      { name: 'tone', kind: 'category', options: ['kind', 'neutral', 'rude'] },
    ],
  });
  ids.queue = queue.id;
  await post(`/api/evaluation/queues/${queue.id}/items`, { spans: spans.slice(0, 6) });
  await until(async () =>
    (await get<{ status: string }[]>('/api/evaluation/experiments')).every(({ status }) => status === 'done'),
  );
  await until(async () => {
    const all = await get<{ groups: { scores: number }[] }>('/api/evaluation/analytics?by=name');
    return all.groups.reduce((sum, { scores }) => sum + scores, 0) > 90;
  });
}

const READY = 'main table, main [role=tabpanel] h2';
const tab = (name: string, path: string | (() => Promise<string>)) => [
  { name: `evaluations-${name}`, path, ready: READY },
  { name: `evaluations-${name}-phone`, path, ready: READY, size: PHONE },
];
const lazily = (path: () => string) => () => Promise.resolve(path());

/** Scores, evaluators, datasets, experiments, annotation, playground and assistant, with judged demo data. */
export const evaluationShots: ShotGroup = {
  owned: true,
  seed,
  shots: [
    ...tab('scores', '/evaluations'),
    ...tab('evaluators', '/evaluations?tab=evaluators'),
    ...tab(
      'datasets',
      lazily(() => `/evaluations?tab=datasets&open=${ids.dataset}`),
    ),
    ...tab(
      'experiments',
      lazily(() => `/evaluations?tab=experiments&open=${ids.other}`),
    ),
    ...tab(
      'comparison',
      lazily(() => `/evaluations?tab=experiments&open=${ids.other}&with=${ids.experiment}`),
    ),
    ...tab('annotation', '/evaluations?tab=annotation'),
    {
      name: 'evaluations-evaluator',
      path: '/evaluations?tab=evaluators',
      ready: READY,
      act: async (page) => page.getByRole('button', { name: /Hallucination/ }).click(),
    },
    {
      name: 'evaluations-evaluator-new',
      path: '/evaluations?tab=evaluators',
      ready: READY,
      act: async (page) => page.getByRole('button', { name: 'New evaluator' }).click(),
    },
    {
      name: 'evaluations-review',
      path: '/evaluations?tab=annotation',
      ready: READY,
      act: async (page) => page.getByRole('button', { name: 'Review' }).click(),
    },
    {
      name: 'playground',
      path: lazily(() => `/playground?trace=${ids.trace}&span=${ids.span}`),
      ready: 'textarea',
      act: async (page) => {
        await page.getByRole('button', { name: 'Column', exact: true }).click();
        await page.getByRole('button', { name: 'Run', exact: true }).click();
        await page.getByText('first token').first().waitFor();
      },
    },
    {
      name: 'playground-phone',
      path: lazily(() => `/playground?trace=${ids.trace}&span=${ids.span}`),
      ready: 'textarea',
      size: PHONE,
    },
    {
      name: 'playground-runs',
      path: lazily(() => `/playground?trace=${ids.trace}&span=${ids.span}`),
      ready: 'textarea',
      act: async (page) => {
        await page.getByRole('button', { name: 'Run', exact: true }).click();
        await page.getByText('first token').first().waitFor();
        await page.waitForURL(/run=/);
        await page.getByRole('button', { name: 'Runs' }).click();
        await page.getByRole('dialog').getByRole('listitem').first().waitFor();
      },
    },
    {
      name: 'evaluations-choose',
      path: '/traces?view=spans&q=operation%3Achat',
      ready: '[role=row][aria-rowindex]',
      act: async (page) => {
        await page.getByRole('button', { name: 'Choose rows' }).click();
        await page.getByRole('checkbox').nth(0).check();
        await page.getByRole('checkbox').nth(2).check();
      },
    },
    {
      name: 'evaluations-choose-phone',
      path: '/traces',
      ready: '[role=row]',
      size: PHONE,
      act: async (page) => page.getByRole('button', { name: 'Choose rows' }).click(),
    },
    ...assistantShots,
    {
      name: 'span-scores',
      path: lazily(() => `/traces/${ids.trace}?span=${ids.span}`),
      ready: '[role=tabpanel]',
    },
  ],
};
