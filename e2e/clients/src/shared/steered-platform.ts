/** A platform with prompts, secrets, rules and a context, set up over its own API as its owner would. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PlatformProcess, startPlatform } from '@candela/testkit';

const OWNER = { email: 'ada@example.com', password: 'analytical engine 1843' };

/** Quotes, backslashes, line breaks, `$&` and characters beyond the basic plane: a value comes back byte for byte. */
export const SECRET_VALUE = 'sk-"q\'uo\\ted"\\n\n\tline two $& {{name}} \u00e9\u20ac\u{1f511}';
export const TEMPLATE =
  'You answer questions about the {{product}} in a {{ tone }} tone. Costs $& nothing.\nQuestion: {{question}}';
/** The template with the variables `product` Lamp and `tone` friendly. */
export const COMPILED =
  'You answer questions about the Lamp in a friendly tone. Costs $& nothing.\nQuestion: {{question}}';
export const CONTEXT = {
  name: 'Refunds',
  description: 'How refunds work',
  content: 'Gold customers get their money back.',
  tags: ['support'],
  metaProperties: { owner: 'ada' },
};

export interface SteeredPlatform {
  readonly platform: PlatformProcess;
  /** Base address. */
  readonly url: string;
  /** A key with the scopes that applications need here, and nothing else. */
  readonly apiKey: string;
  readonly ids: {
    readonly prompt: string;
    readonly context: string;
    readonly contextRule: string;
    readonly promptRule: string;
    readonly evaluationRule: string;
  };
  /** A call of the owner's browser; throws what was refused. */
  ask<T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<T>;
  stop(): Promise<void>;
}

interface Made {
  readonly id: string;
}

/** @param env settings of the platform beside those that make its owner */
export async function startSteeredPlatform(
  env: Readonly<Record<string, string>> = {},
): Promise<SteeredPlatform> {
  const dataDir = mkdtempSync(join(tmpdir(), 'candela-steered-'));
  const platform = await startPlatform({
    dataDir,
    newStore: true,
    env: {
      PLATFORM_ADMIN_EMAIL: OWNER.email,
      PLATFORM_ADMIN_PASSWORD: OWNER.password,
      PLATFORM_INGEST_ANONYMOUS: 'false',
      ...env,
    },
  });
  const stop = async (): Promise<void> => {
    await platform.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    return { platform, url: platform.http, stop, ...(await seed(platform)) };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function seed(platform: PlatformProcess): Promise<Pick<SteeredPlatform, 'apiKey' | 'ids' | 'ask'>> {
  let cookie = '';
  const send = async (method: string, path: string, body?: object): Promise<Response> => {
    const response = await fetch(`${platform.http}${path}`, {
      method,
      headers: { origin: platform.http, cookie, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const ask: SteeredPlatform['ask'] = async <T>(method: string, path: string, body?: object) =>
    ((await (await send(method, path, body)).json()) as { data: T }).data;

  const signedIn = await send('POST', '/api/auth/sign-in', OWNER);
  cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');
  const { apiKey } = await ask<{ apiKey: string }>('POST', '/api/api-key', {
    name: 'applications',
    scopes: ['prompts', 'vault', 'rule_engine', 'evaluation'],
  });
  const prompt = await ask<Made>('POST', '/api/prompt', {
    name: 'support-answer',
    prompt: TEMPLATE,
    tags: ['support'],
    metaProperties: { owner: 'ada' },
    publish: 'major',
  });
  await ask('POST', '/api/prompt', {
    name: 'support-chat',
    messages: [
      { role: 'system', content: 'Answer in {{language}}.' },
      { role: 'user', content: '{{question}}' },
    ],
    modelSettings: { model: 'gpt-5.4', temperature: 0.2 },
    tools: [{ name: 'search', description: 'Looks it up', parameters: { type: 'object' } }],
    responseFormat: { type: 'json_schema', name: 'reply', schema: { type: 'object' } },
    publish: 'major',
  });
  await ask('POST', '/api/prompt', { name: 'only-a-draft', prompt: 'not yet' });
  await ask('POST', '/api/vault', { key: 'openai-api-key', value: SECRET_VALUE, tags: ['llm'] });
  await ask('POST', '/api/vault', { key: 'stripeKey', value: 'rk_live', tags: ['billing'] });
  const context = await ask<Made>('POST', '/api/context', CONTEXT);
  const rule = async (name: string, entityType: string, entityId: string): Promise<string> => {
    const groups = [{ conditions: [{ field: 'user_tier', operator: 'equals', value: 'gold' }] }];
    const made = await ask<Made>('POST', '/api/rule-engine/rules', {
      name,
      groups,
      links: [{ entityType, entityId }],
    });
    return made.id;
  };
  return {
    ask,
    apiKey,
    ids: {
      prompt: prompt.id,
      context: context.id,
      contextRule: await rule('Gold customers', 'context', context.id),
      promptRule: await rule('Gold prompts', 'prompt', prompt.id),
      evaluationRule: await rule('Gold checks', 'evaluation', 'hallucination'),
    },
  };
}
