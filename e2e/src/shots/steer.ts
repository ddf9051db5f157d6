import { newSpanId, newTraceId, sendTrace } from '../otlp.ts';
import { ask, OWNER } from '../people.ts';
import type { Stage } from '../stage.ts';
import type { Shot, ShotGroup } from './shot.ts';
import { NARROW, PHONE, ROWS } from './shot.ts';

const FIRST = `You answer customers of {{shop_name}} in {{language}}.

Be friendly, be brief. If you do not know, say so and offer a person.
Never promise a refund: the policy below decides.

{{context}}`;
const SECOND = FIRST.replace(
  'Be friendly, be brief.',
  'Be kind and precise; three sentences at most.',
).replace('{{context}}', '## Policy\n{{context}}\n\nThe customer writes:\n{{question}}');
const POLICY = `# Refunds

Within **30 days** of delivery, in full. Afterwards a voucher.

- Food and gift cards: never.
- Broken on arrival: always, a photo is enough.

| reason | who decides |
|---|---|
| late | the agent |
| damaged | the agent |
| changed mind | the policy |
`;

const ids = { prompt: '', context: '', secret: '' };
const promptPath = (search: string) => () => Promise.resolve(`/prompts/${ids.prompt}${search}`);
const contextPath = (search: string) => () => Promise.resolve(`/contexts/${ids.context}${search}`);
const vaultPath = () => Promise.resolve(`/vault?secret=${ids.secret}`);

async function seed(stage: Stage): Promise<void> {
  const { page } = await stage.open('/', { as: OWNER });
  const post = <T>(path: string, data: unknown) => ask<T>(page, stage, 'POST', path, { data });
  const made = await post<{ id: string }>('/api/prompt', {
    name: 'support.reply',
    prompt: FIRST,
    tags: ['support', 'customer-facing'],
    metaProperties: { temperature: 0.2, team: 'care' },
    publish: 'major',
  });
  ids.prompt = made.id;
  const draft = `/api/prompt/${made.id}/draft`;
  await ask(page, stage, 'PUT', draft, {
    data: {
      prompt: SECOND,
      tags: ['support', 'customer-facing'],
      metaProperties: { temperature: 0, team: 'care' },
    },
  });
  await post(`/api/prompt/${made.id}/publish`, { bump: 'minor' });
  await post(`/api/prompt/${made.id}/labels`, { label: 'production', version: '1.0.0' });
  await post(`/api/prompt/${made.id}/labels`, { label: 'canary', version: '1.1.0' });
  await ask(page, stage, 'PUT', draft, {
    data: { prompt: `${SECOND}\n\nSign as {{agent}}.`, tags: ['support'], metaProperties: { team: 'care' } },
  });
  for (const name of ['search.rewrite', 'summary.daily', 'titles'])
    await post('/api/prompt', {
      name,
      prompt: `Rewrite for ${name}: {{text}}`,
      tags: ['internal'],
      ...(name === 'titles' ? {} : { publish: 'patch' }),
    });
  const { apiKey } = await post<{ apiKey: string }>('/api/api-key', {
    name: 'shop assistant',
    scopes: ['prompts', 'vault', 'rule_engine'],
  });
  for (const [version, source, times] of [
    ['production', 'typescript', 41],
    ['canary', 'typescript', 9],
    ['canary', 'python', 17],
  ] as const)
    for (let call = 0; call < times; call += 1)
      await fetch(`${stage.platform.http}/api/prompt/get-compiled`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}` },
        body: JSON.stringify({ name: 'support.reply', version, source }),
      });
  await sendTrace(stage.platform.otlpHttp, {
    traceId: newTraceId(),
    service: 'shop-assistant',
    startedAt: Date.now() - 600_000,
    spans: Array.from({ length: 6 }, (_, n) => ({
      spanId: newSpanId(),
      name: 'chat gpt-4o-mini',
      startMs: n * 4_000,
      durationMs: 700 + n * 130,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'gpt-4o-mini',
        'gen_ai.usage.input_tokens': 420 + n,
        'gen_ai.usage.output_tokens': 90 + n,
        'platform.prompt.name': 'support.reply',
        'platform.prompt.version': n % 3 === 0 ? '1.1.0' : '1.0.0',
      },
    })),
  });
  const context = await post<{ id: string }>('/api/context', {
    name: 'Refund policy',
    description: 'What support may promise.',
    content: POLICY.replace('30 days', '14 days'),
    tags: ['support'],
    metaProperties: { region: 'EU' },
  });
  ids.context = context.id;
  await ask(page, stage, 'PUT', `/api/context/${context.id}`, {
    data: {
      name: 'Refund policy',
      description: 'What support may promise.',
      content: POLICY,
      tags: ['support', 'legal'],
      metaProperties: { region: 'EU' },
    },
  });
  await post('/api/context', { name: 'Tone of voice', content: 'Short sentences. No exclamation marks.' });
  await post('/api/context', { name: 'Christmas opening hours', content: 'Closed.', status: 'INACTIVE' });
  const rule = {
    name: 'Customers in the EU',
    groupOperator: 'AND',
    groups: [
      {
        operator: 'AND',
        conditions: [{ field: 'region', operator: 'equals', value: 'EU', dataType: 'string' }],
      },
    ],
  };
  const { id: ruleId } = await post<{ id: string }>('/api/rule-engine/rules', rule);
  await post('/api/rule-engine/entities', { ruleId, entityType: 'context', entityId: context.id });
  const secret = await post<{ id: string; revision: number }>('/api/vault', {
    key: 'DB_PASSWORD',
    value: 'correct horse battery staple',
    tags: ['checkout', 'production'],
  });
  ids.secret = secret.id;
  await ask(page, stage, 'PUT', `/api/vault/${secret.id}`, {
    data: { revision: secret.revision, value: 'tr0ub4dor & 3' },
  });
  await post('/api/vault', {
    key: 'ANTHROPIC_API_KEY',
    value: 'sk-not-a-real-one',
    tags: ['llm'],
    grants: [],
  });
  await post('/api/vault', {
    key: 'STRIPE_WEBHOOK_SECRET',
    value: 'whsec_not_a_real_one',
    tags: ['checkout'],
  });
  await page.context().close();
}

const fill: NonNullable<Shot['act']> = async (page) => {
  await page.getByLabel('shop_name', { exact: true }).fill('Lumen & Sons');
  await page.getByLabel('language', { exact: true }).fill('English');
};
const press =
  (name: string): NonNullable<Shot['act']> =>
  async (page) => {
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('dialog').waitFor();
  };
const EDITOR = 'text=Compiled';

/** Prompts, contexts and secrets before there are any. */
export const firstSteerShots: ShotGroup = {
  owned: true,
  shots: [
    { name: 'prompts-first', path: '/prompts', ready: 'text=Write the first prompt' },
    { name: 'contexts-first', path: '/contexts', ready: 'text=Write the first context' },
    { name: 'vault-first', path: '/vault', ready: 'text=Keep the first secret' },
  ],
};

export const steerShots: ShotGroup = {
  owned: true,
  seed,
  shots: [
    { name: 'prompts', path: '/prompts', ready: ROWS },
    { name: 'phone-prompts', path: '/prompts', ready: ROWS, size: PHONE },
    { name: 'prompt-editor', path: promptPath(''), ready: EDITOR, act: fill },
    { name: 'narrow-prompt-editor', path: promptPath(''), ready: EDITOR, act: fill, size: NARROW },
    { name: 'prompt-publish', path: promptPath(''), ready: EDITOR, act: press('Publish…') },
    { name: 'prompt-versions', path: promptPath('?view=versions'), ready: 'text=What changed' },
    { name: 'prompt-usage', path: promptPath('?view=usage'), ready: 'text=chat gpt-4o-mini' },
    { name: 'contexts', path: '/contexts', ready: ROWS },
    { name: 'context-editor', path: contextPath(''), ready: 'text=As it reads' },
    { name: 'context-versions', path: contextPath('?view=versions'), ready: 'text=From version' },
    { name: 'vault', path: '/vault', ready: 'text=STRIPE_WEBHOOK_SECRET' },
    { name: 'vault-secret', path: vaultPath, ready: 'text=in force' },
    {
      name: 'vault-revealed',
      path: vaultPath,
      ready: 'text=in force',
      act: async (page) => {
        await page.getByRole('button', { name: 'Reveal DB_PASSWORD' }).click();
        await page.getByRole('button', { name: 'Show it' }).click();
        await page.getByLabel('Value of DB_PASSWORD').waitFor();
      },
    },
    { name: 'vault-new', path: '/vault', ready: 'text=STRIPE_WEBHOOK_SECRET', act: press('New secret') },
    { name: 'phone-vault-secret', path: vaultPath, ready: 'text=in force', size: PHONE },
  ],
};
