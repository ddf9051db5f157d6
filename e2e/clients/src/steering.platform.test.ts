/**
 * Prompts, secrets and rules as applications fetch them: by the shipped openlit SDKs unchanged, by what other SDKs send,
 * and by the two client libraries, whose documentation is run as it stands. One platform for all of them.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FakeAi, NODE_BINARY, startFakeAi } from '@candela/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CandelaError, createClient } from '../../../packages/client/src/index.ts';
import { runProgram } from './shared/run-client.ts';
import { expectShippedClient, lastLine } from './shared/shipped.ts';
import {
  COMPILED,
  CONTEXT,
  SECRET_VALUE,
  startSteeredPlatform,
  type SteeredPlatform,
  TEMPLATE,
} from './shared/steered-platform.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** Whether a program runs through with these arguments. */
function works(command: string, ...rest: string[]): boolean {
  try {
    execFileSync(command, rest, { stdio: 'ignore', timeout: 60_000 });
    return true;
  } catch {
    return false;
  }
}
const hasPython = works('python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 9))');
const openlitPython = process.env['OPENLIT_PYTHON'] ?? 'python3';
const hasOpenlitPython = works(openlitPython, '-c', 'import openlit');
if (!hasPython) console.warn('SKIPPED: the Python client against the platform: no python3 (3.9 or newer).');
if (!hasOpenlitPython) {
  console.warn(
    'SKIPPED: openlit of PyPI: `import openlit` fails. Install it in an environment of its own (not in this folder) and name its interpreter in OPENLIT_PYTHON.',
  );
}

let steered: SteeredPlatform;
let scratch: string;
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'candela-steering-'));
  steered = await startSteeredPlatform();
});
afterAll(async () => {
  await steered?.stop();
  rmSync(scratch, { recursive: true, force: true });
});

const programEnv = () => ({
  CLIENT_AI_URL: steered.url,
  CLIENT_API_KEY: steered.apiKey,
  CLIENT_PROMPT_ID: steered.ids.prompt,
});

describe('openlit', () => {
  test('of npm reads prompts, secrets and rules, and the platform’s sentences', async () => {
    const program = join(import.meta.dirname, 'openlit-steer/main.ts');
    expectShippedClient(lastLine(await runProgram(NODE_BINARY, [program], programEnv())), steered, {
      refusedRule: { err: 'Openlit Error : HTTP error! Status: 401' },
    });
  });

  test.skipIf(!hasOpenlitPython)(
    'of PyPI reads prompts, secrets and rules, and the platform’s sentences',
    async () => {
      const program = join(import.meta.dirname, 'openlit-python/main.py');
      expectShippedClient(lastLine(await runProgram(openlitPython, [program], programEnv())), steered, {
        refusedRule: null,
      });
    },
  );
});

describe('offline evaluation of openlit', () => {
  let vendor: FakeAi;
  beforeAll(async () => {
    const answer = { reason: 'It promises too much.', level: 2, classification: 'promise' };
    vendor = await startFakeAi({ chunkDelayMs: 0, respond: () => ({ text: JSON.stringify(answer) }) });
    const { id } = await steered.ask<{ id: string }>('POST', '/api/models', {
      name: 'judge',
      provider: 'openai-compatible',
      model: 'house-model',
      baseUrl: `${vendor.url}/v1`,
    });
    await steered.ask('PUT', '/api/evaluation/config', { modelId: id, dailyCapUsd: 5 });
  });
  afterAll(() => vendor.close());
  const judged = (type: string, verdict: 'yes' | 'no') => ({
    type,
    score: 0.5,
    verdict,
    classification: 'promise',
    explanation: 'It promises too much.',
  });

  test('of npm: types, one answer and a batch, with contexts by rules', async () => {
    const program = join(import.meta.dirname, 'openlit-evals/main.ts');
    const { types, one, batch, wrongKey } = lastLine(await runProgram(NODE_BINARY, [program], programEnv()));
    expect(JSON.stringify(types)).toContain('instruction_following');
    expect(one).toMatchObject({ success: true, evaluations: [judged('Hallucination', 'yes')] });
    expect(JSON.stringify(vendor.requests[0]?.body)).toContain(CONTEXT.content);
    expect(batch).toMatchObject({
      runId: expect.stringMatching(/^batch_/),
      results: [1, 2].map(() => ({ success: true, evaluations: [judged('Bias', 'no')] })),
    });
    expect(JSON.stringify(wrongKey)).toMatch(/key|401/i);
  });

  test.skipIf(!hasOpenlitPython)('of PyPI: one answer', async () => {
    const program = join(import.meta.dirname, 'openlit-evals/main.py');
    const { one } = lastLine(await runProgram(openlitPython, [program], programEnv()));
    expect(one).toMatchObject({ success: true, evaluations: [judged('Hallucination', 'yes')] });
  });
});

/** A request as another SDK makes it. */
async function replay(path: string, contentType: string | null, body: unknown, key = steered.apiKey) {
  const response = await fetch(`${steered.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      ...(contentType === null ? {} : { 'content-type': contentType }),
    },
    // Bytes: fetch would name a type of its own for a text.
    body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: JSON.parse(text) as Record<string, unknown>,
  };
}

describe('what SDKs send', () => {
  const JSON_TYPE = 'application/json';

  test.each([
    ['Python', JSON_TYPE, { promptId: 'ID', shouldCompile: true, source: 'python-sdk' }],
    [
      'TypeScript',
      'text/plain;charset=UTF-8',
      { id: 'ID', shouldCompile: true, metaProperties: {}, source: 'ts-sdk' },
    ],
    ['the specification', 'text/plain', { promptId: 'ID', compile: true }],
    ['snake_case', null, { prompt_id: 'ID', should_compile: true, meta_properties: {} }],
    ['nulls', JSON_TYPE, { id: 'ID', name: null, version: null, shouldCompile: true, metaProperties: null }],
  ])('a prompt as %s asks for it', async (_who, type, body) => {
    const variables = { product: 'Lamp', tone: 'friendly' };
    const answer = await replay('/api/prompt/get-compiled', type, {
      ...Object.fromEntries(
        Object.entries(body).map(([key, value]) => [key, value === 'ID' ? steered.ids.prompt : value]),
      ),
      variables,
    });
    expect(answer).toMatchObject({ status: 200, body: { err: null, res: { compiledPrompt: COMPILED } } });
  });

  test('secrets as Python asks for them, tags as a text or a list', async () => {
    for (const tags of ['llm', ['llm', 'none']]) {
      expect(await replay('/api/vault/get-secrets', JSON_TYPE, { tags, source: 'python-sdk' })).toMatchObject(
        {
          status: 200,
          body: { err: null, res: { OPENAI_API_KEY: SECRET_VALUE } },
        },
      );
    }
    const { headers } = await replay('/api/vault/get-secrets', null, {});
    expect(headers.get('cache-control')).toContain('no-store');
  });

  test('rules as Go asks for them: exactly 200, three keys', async () => {
    const body = {
      entity_type: 'context',
      fields: { user_tier: 'gold' },
      include_entity_data: true,
      source: 'go-sdk',
    };
    const answer = await replay('/api/rule-engine/evaluate', JSON_TYPE, body);
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body).toSorted()).toEqual(['entities', 'entity_data', 'matchingRuleIds']);
  });

  test('failures: always 200 {err, res} but for rules', async () => {
    for (const [path, res] of [
      ['/api/prompt/get-compiled', null],
      ['/api/vault/get-secrets', {}],
    ] as const) {
      for (const [body, key] of [
        ['{"name":', steered.apiKey],
        ['[]', steered.apiKey],
        ['{}', 'pk_00000000_wrong'],
        ['{}', ''],
      ] as const) {
        const answer = await replay(path, JSON_TYPE, body, key);
        expect([path, body, answer]).toMatchObject([
          path,
          body,
          { status: 200, body: { err: expect.stringMatching(/\.$/), res } },
        ]);
        expect(answer.headers.get('x-platform-error-code')).toMatch(/^[a-z_]+$/);
      }
    }
    const wrong = await replay('/api/rule-engine/evaluate', JSON_TYPE, { fields: { a: 1 } });
    expect([wrong.status, wrong.body]).toEqual([
      400,
      {
        err: expect.stringMatching(/entity_type is required and must be one of context, prompt, evaluation/),
      },
    ]);
    expect((await replay('/api/rule-engine/evaluate', JSON_TYPE, {}, '')).status).toBe(401);
  });
});

describe('@candela/client', () => {
  test('reads prompts, secrets and rules, and the platform’s sentences', async () => {
    const { url, apiKey, ids } = steered;
    const client = createClient({ url: `${url}/`, apiKey, promptCache: { ttlMs: 0 } });
    const prompt = await client.getPrompt({
      promptId: ids.prompt,
      version: '1.x',
      shouldCompile: true,
      variables: { product: 'Lamp', tone: 'friendly', colour: 'red' },
    });
    expect(prompt).toMatchObject({
      compiledPrompt: COMPILED,
      missing: ['question'],
      unused: ['colour'],
      stale: false,
    });
    expect(await client.getSecrets({ tags: ['llm'] })).toEqual({ OPENAI_API_KEY: SECRET_VALUE });
    const rule = { entityType: 'context', fields: { user_tier: 'gold' }, includeEntityData: true } as const;
    const result = await client.evaluateRule(rule);
    expect(result.matchingRuleIds).toEqual([ids.contextRule]);
    expect(result.contexts.get(ids.context)).toMatchObject({
      content: CONTEXT.content,
      createdBy: 'ada@example.com',
    });
    const prompts = await client.evaluateRule({ ...rule, entityType: 'prompt' });
    expect(prompts.prompts.get(ids.prompt)?.version).toBe('1.0.0');

    const failed = async (call: Promise<unknown>) =>
      call.then(
        () => undefined,
        (error: unknown) => (error instanceof CandelaError ? error.code : String(error)),
      );
    expect(await failed(client.getPrompt({ name: 'no-such-prompt' }))).toBe('not_found');
    const other = createClient({ url, apiKey: 'pk_00000000_wrong' });
    expect(await failed(other.getPrompt({ name: 'support-answer' }))).toBe('unknown_credential');
    expect(await failed(other.getSecrets({ shouldSetEnv: true }))).toBe('unknown_credential');
    expect(await failed(other.evaluateRule(rule))).toBe('unknown_credential');
  });

  test('a held prompt is confirmed by its ETag, and a new version arrives', async () => {
    const { url, apiKey, ask } = steered;
    const made = await ask<{ id: string }>('POST', '/api/prompt', {
      name: 'changing',
      prompt: 'one',
      publish: 'major',
    });
    const statuses: number[] = [];
    const client = createClient({
      url,
      apiKey,
      promptCache: { ttlMs: 0 },
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        statuses.push(response.status);
        return response;
      },
    });
    const text = async () => (await client.getPrompt({ name: 'changing' })).prompt;
    expect([await text(), await text()]).toEqual(['one', 'one']);
    expect(statuses).toEqual([200, 304]);
    await ask('PUT', `/api/prompt/${made.id}/draft`, { prompt: 'two' });
    await ask('POST', `/api/prompt/${made.id}/publish`, { bump: 'minor' });
    await expect.poll(text, { timeout: 20_000 }).toBe('two');
  });
});

test('the attributes that come with a prompt lead from it to its traces', async () => {
  const { url, apiKey, ask } = steered;
  const { apiKey: telemetryKey } = await ask<{ apiKey: string }>('POST', '/api/api-key', {
    name: 'telemetry',
    scopes: ['ingest', 'telemetry'],
  });
  const { spanAttributes } = await createClient({ url, apiKey }).getPrompt({ name: 'support-answer' });
  const at = String(BigInt(Date.now()) * 1_000_000n);
  const span = {
    traceId: 'c1'.repeat(16),
    spanId: 'c1'.repeat(8),
    name: 'chat gpt-4o-mini',
    kind: 3,
    startTimeUnixNano: at,
    endTimeUnixNano: at,
    attributes: Object.entries(spanAttributes).map(([key, value]) => ({
      key,
      value: { stringValue: value },
    })),
  };
  const body = { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
  expect((await replay('/v1/traces', 'application/json', body, telemetryKey)).status).toBe(200);
  const search = { from: '-1h', to: 'now', q: 'prompt_name:support-answer prompt_version:1.0.0' };
  const found = async () => {
    const answer = await replay('/api/telemetry/spans/search', 'application/json', search, telemetryKey);
    return answer.body['data'];
  };
  await expect.poll(found, { timeout: 40_000 }).toMatchObject([{ spanId: span.spanId }]);
});

/** The fenced blocks of a language in a document. */
const examples = (file: string, language: string): string[] =>
  Array.from(
    readFileSync(join(ROOT, file), 'utf8').matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs')),
    ([, code = '']) => code,
  );

describe('the examples of the documentation', () => {
  const outputs = async (file: string, language: string, run: (script: string) => Promise<string>) => {
    const found: string[] = [];
    for (const [index, code] of examples(file, language).entries()) {
      const script = join(scratch, `example-${index}.${language === 'js' ? 'mjs' : 'py'}`);
      writeFileSync(script, code);
      found.push(await run(script));
    }
    return found;
  };
  const env = () => ({ PLATFORM_URL: steered.url, PLATFORM_API_KEY: steered.apiKey });
  const [prompt, chat, budget, secrets, rules, client, failure] = [0, 1, 2, 3, 4, 5, 6] as const;
  const said = (text: string | undefined): unknown[] => {
    const [, request = '', format] = /^(.*) (\w+)\n$/.exec(text ?? '') ?? [];
    return [JSON.parse(request) as unknown, format];
  };
  const CHAT_SAID = [
    {
      model: 'gpt-5.4',
      temperature: 0.2,
      messages: [
        { role: 'system', content: 'Answer in French.' },
        { role: 'user', content: 'When do you open?' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'search', description: 'Looks it up', parameters: { type: 'object' } },
        },
      ],
    },
    'json_schema',
  ];

  test('run in TypeScript as they stand', async () => {
    mkdirSync(join(scratch, 'node_modules/@candela'), { recursive: true });
    symlinkSync(join(ROOT, 'packages/client'), join(scratch, 'node_modules/@candela/client'));
    const outs = await outputs('packages/client/README.md', 'js', async (script) =>
      runProgram(NODE_BINARY, [script], env()),
    );
    expect(outs).toHaveLength(7);
    expect(said(outs[chat])).toEqual(CHAT_SAID);
    // Nothing is spent: the next call may be made.
    expect(outs[budget]).toBe('');
    expect(outs[prompt]).toContain(`1.0.0 ${COMPILED}`);
    expect(outs[prompt]).toContain(`'platform.prompt.id': '${steered.ids.prompt}'`);
    expect(outs[secrets]).toBe("[ 'OPENAI_API_KEY' ]\ntrue\n");
    expect(outs[rules]).toContain(`${CONTEXT.name} ${CONTEXT.content}`);
    expect(outs[client]).toBe('support-answer false\n');
    expect(outs[failure]).toMatch(/^not_found .*no-such-prompt.*\.\n$/);
  });

  test.skipIf(!hasPython)('run in Python as they stand', async () => {
    const path = { PYTHONPATH: join(ROOT, 'clients/python/src'), PYTHONDONTWRITEBYTECODE: '1' };
    const outs = await outputs('clients/python/README.md', 'python', async (script) =>
      runProgram('python3', ['-W', 'error', script], { ...env(), ...path }),
    );
    expect(outs).toHaveLength(7);
    expect(said(outs[chat])).toEqual(CHAT_SAID);
    // Nothing is spent: the next call may be made.
    expect(outs[budget]).toBe('');
    expect(outs[prompt]).toContain(`1.0.0 ${COMPILED}`);
    expect(outs[prompt]).toContain(`'platform.prompt.id': '${steered.ids.prompt}'`);
    expect(outs[secrets]).toBe("['OPENAI_API_KEY']\nTrue\n");
    expect(outs[rules]).toContain(`${CONTEXT.name} ${CONTEXT.content}`);
    expect(outs[client]).toBe('support-answer False\n');
    expect(outs[failure]).toMatch(/^not_found .*no-such-prompt.*\.\n$/);
  });
});

const curl = works('curl', '--version');
test.skipIf(!curl)('the calls without a library run as they are documented', async () => {
  const calls = examples('docs/steer/clients.md', 'sh').find((code) => code.includes('curl')) ?? '';
  const said = await runProgram('bash', ['-euc', calls], {
    PLATFORM_URL: steered.url,
    PLATFORM_API_KEY: steered.apiKey,
  });
  const answers: unknown[] = said
    .replaceAll('}{', '}\n{')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
  expect(answers).toMatchObject([
    { err: null, res: { compiledPrompt: expect.stringContaining('about the Lamp in a {{ tone }}') } },
    { err: null, res: { OPENAI_API_KEY: SECRET_VALUE } },
    { matchingRuleIds: [steered.ids.contextRule] },
  ]);
});

/** Ends the platform, so it is the last one. */
describe('when the platform is gone', () => {
  test('a held prompt is used on and says so; without one the error says what to look at', async () => {
    const { url, apiKey, platform } = steered;
    const client = createClient({ url, apiKey, promptCache: { ttlMs: 0 }, retries: 0 });
    expect((await client.getPrompt({ name: 'support-answer' })).stale).toBe(false);
    await platform.stop();
    expect(await client.getPrompt({ name: 'support-answer' })).toMatchObject({
      prompt: TEMPLATE,
      stale: true,
      staleBecause: { code: 'unreachable' },
    });
    await expect(client.getSecrets()).rejects.toThrow(/cannot be reached \(ECONNREFUSED\)/);
  });
});
