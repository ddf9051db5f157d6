import { ask, OWNER } from '../people.ts';
import { newSpanId, newTraceId, sendTrace } from '../otlp.ts';
import type { Stage } from '../stage.ts';
import type { Shot, ShotGroup } from './shot.ts';
import { PHONE, ROWS, SMALL } from './shot.ts';

const condition = (field: string, operator: string, value: string, dataType = 'string') => ({
  field,
  operator,
  value,
  dataType,
});

/** The rule of the pictures, found by its name. */
let goldRule = '';
const rulePath = () => Promise.resolve(`/rules/${goldRule}`);
const READY = 'text=spans match';

async function sendCalls(stage: Stage): Promise<void> {
  await sendTrace(stage.platform.otlpHttp, {
    traceId: newTraceId(),
    service: 'shop-assistant',
    startedAt: Date.now() - 600_000,
    spans: Array.from({ length: 240 }, (_, n) => ({
      spanId: newSpanId(),
      name: n % 3 === 0 ? 'chat gpt-4o' : 'chat gpt-4o-mini',
      kind: 3,
      startMs: n * 2_000,
      durationMs: (n * 37) % 900,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': n % 3 === 0 ? 'gpt-4o' : 'gpt-4o-mini',
        'user.tier': ['gold', 'silver', 'free', 'free'][n % 4] ?? 'free',
      },
    })),
  });
}

const openTry =
  (text: string): NonNullable<Shot['act']> =>
  async (page) => {
    await page.getByRole('tab', { name: 'Try it' }).click();
    await page.getByLabel('Fields', { exact: true }).fill(text);
    await page.getByRole('status', { name: 'Why' }).waitFor();
  };

/** Rules on an installation of its own, which has an owner. */
export const rulesShots: ShotGroup = {
  owned: true,
  seed: async (stage) => {
    await sendCalls(stage);
    const { page } = await stage.open('/', { as: OWNER });
    const post = <T>(path: string, data: unknown) => ask<T>(page, stage, 'POST', path, { data });
    const policy = await post<{ id: string }>('/api/context', {
      name: 'Refunds for gold customers',
      content: 'Refund up to 200 without asking.',
    });
    const groups = [
      {
        operator: 'AND',
        conditions: [
          condition('user.tier', 'in', 'gold, silver'),
          condition('duration_ms', 'gte', '100', 'number'),
        ],
      },
      {
        operator: 'OR',
        conditions: [condition('model', 'equals', 'gpt-4o'), condition('model', 'regex', '^claude-')],
      },
    ];
    const links = [
      { entityType: 'context', entityId: policy.id },
      { entityType: 'evaluation', entityId: 'hallucination' },
    ];
    const gold = await post<{ id: string }>('/api/rule-engine/rules', {
      name: 'Gold customers, slow answers',
      description: 'Who pays gets the generous policy.',
      priority: 10,
      groups,
      links,
    });
    goldRule = gold.id;
    await post('/api/rule-engine/rules', {
      name: 'Free tier',
      groups: [{ operator: 'AND', conditions: [condition('user.tier', 'equals', 'free')] }],
    });
    await post('/api/rule-engine/rules', { name: 'An idea', groups: [], status: 'INACTIVE' });
    await page.context().close();
  },
  shots: [
    { name: 'rules-list', path: '/rules', ready: ROWS },
    { name: 'rules-rule', path: rulePath, ready: READY },
    { name: 'rules-small', path: rulePath, ready: READY, size: SMALL },
    { name: 'rules-phone', path: rulePath, ready: READY, size: PHONE },
    {
      name: 'rules-fields',
      path: rulePath,
      ready: READY,
      act: async (page) => {
        await page.getByRole('combobox', { name: 'Field of condition 1 of group 1' }).fill('us');
        await page.getByRole('option', { name: 'user.tier' }).waitFor();
      },
    },
    {
      name: 'rules-wrong',
      path: rulePath,
      ready: READY,
      act: async (page) => {
        await page.getByLabel('Value of condition 2 of group 2', { exact: true }).fill('^claude-(');
        await page.getByText('Not a regular expression').waitFor();
      },
    },
    {
      name: 'rules-try',
      path: rulePath,
      ready: READY,
      act: openTry('{\n  "user.tier": "gold",\n  "duration_ms": "slow",\n  "model": "gpt-4o"\n}'),
    },
  ],
};
