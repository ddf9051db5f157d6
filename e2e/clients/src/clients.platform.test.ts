/**
 * Real SDKs, unchanged, each in a process of its own, send what they send to the whole platform: the same call shows
 * the same conversation, tokens and cost whoever reported it.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SpanDetail, TraceRow } from '@candela/contract';
import { type FakeAi, NODE_BINARY, type PlatformProcess, startFakeAi, startPlatform } from '@candela/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PNG_BASE64 } from './shared/client-env.ts';
import { type PlatformApi, platformApi } from './shared/platform-api.ts';
import {
  type ClientName,
  PYTHON_CLIENTS,
  pythonOf,
  pythonWith,
  runClient,
  runProgram,
} from './shared/run-client.ts';

const ROOT = join(import.meta.dirname, '../../..');
const API_KEY = 'clients-test-key-0123456789';
const FULL = { input: 56, cacheRead: 64, cacheWrite: 0, output: 30, reasoning: 0 };
/** Two SDKs do not say how much of a call was read from the cache when it is not streamed. */
const WITHOUT_CACHE = { ...FULL, input: 120, cacheRead: 0 };

interface Expected {
  readonly client: ClientName;
  readonly convention: string;
  readonly usage: typeof FULL;
  /** Model calls the program makes that reach the platform. */
  readonly calls: number;
  readonly service?: string;
  readonly session: boolean;
  readonly tool: boolean;
}

const CLIENTS: readonly Expected[] = [
  {
    client: 'openlit',
    convention: 'gen-ai',
    usage: FULL,
    calls: 7,
    service: 'client-openlit',
    session: true,
    tool: true,
  },
  {
    client: 'openinference',
    convention: 'openinference',
    usage: FULL,
    calls: 4,
    service: 'client-openinference',
    session: true,
    tool: true,
  },
  { client: 'traceloop', convention: 'traceloop', usage: WITHOUT_CACHE, calls: 3, session: true, tool: true },
  {
    client: 'ai-v5',
    convention: 'vercel-ai',
    usage: WITHOUT_CACHE,
    calls: 9,
    service: 'client-ai-v5',
    session: true,
    tool: true,
  },
  {
    client: 'ai-v7',
    convention: 'gen-ai',
    usage: FULL,
    calls: 8,
    service: 'client-ai-v7',
    session: false,
    tool: true,
  },
  { client: 'langfuse', convention: 'langfuse', usage: FULL, calls: 3, session: true, tool: true },
  { client: 'langsmith', convention: 'langsmith', usage: FULL, calls: 3, session: true, tool: true },
  { client: 'otel-exporters', convention: 'gen-ai', usage: FULL, calls: 6, session: true, tool: false },
];

let ai: FakeAi;
let platform: PlatformProcess;
let api: PlatformApi;
let dataDir: string;
const seen = new Set<string>();

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'candela-clients-'));
  ai = await startFakeAi();
  platform = await startPlatform({
    dataDir,
    newStore: true,
    env: { PLATFORM_BOOTSTRAP_API_KEY: API_KEY, PLATFORM_INGEST_ANONYMOUS: 'false' },
  });
  api = platformApi(platform.http, API_KEY);
});

afterAll(async () => {
  await platform?.stop();
  await ai?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

interface Arrived {
  readonly traces: readonly TraceRow[];
  readonly spans: readonly SpanDetail[];
}

/** Runs a client and waits until so many of its model calls are visible. */
const arrivals = (client: ClientName, calls: number): Promise<Arrived> =>
  arrivalsOf(client, calls, () =>
    runClient(client, {
      ai: ai.url,
      otlp: platform.otlpHttp,
      grpc: platform.otlpGrpc,
      apiKey: API_KEY,
    }),
  );

async function arrivalsOf(client: string, calls: number, run: () => Promise<string>): Promise<Arrived> {
  const output = await run();
  const until = performance.now() + 40_000;
  for (;;) {
    const traces = (await api.traces()).filter((trace) => !seen.has(trace.traceId));
    const light = await Promise.all(
      traces.map(async ({ traceId }) => ({ traceId, spans: (await api.trace(traceId)).spans })),
    );
    const modelCalls = light
      .flatMap(({ spans }) => spans)
      .filter((span) => span.operation === 'chat' || span.operation === 'embeddings');
    if (modelCalls.length >= calls) {
      for (const { traceId } of traces) seen.add(traceId);
      const spans = await Promise.all(
        light.flatMap(({ traceId, spans: own }) => own.map(async ({ spanId }) => api.span(traceId, spanId))),
      );
      return { traces, spans };
    }
    if (performance.now() > until) {
      throw new Error(
        `${modelCalls.length} of ${calls} model calls arrived from ${client}.\n${output.slice(-2000)}\n${platform.output().slice(-20).join('\n')}`,
      );
    }
    await sleep(250);
  }
}

const isPlain = ({ operation, conversation, requestModel }: SpanDetail): boolean =>
  operation === 'chat' &&
  requestModel === 'gpt-4o-mini' &&
  conversation.input.length === 1 &&
  conversation.output[0]?.parts[0]?.type === 'text';

/** What one client does not send is no test of it. */
const when = (applies: boolean): typeof test | undefined => (applies ? test : undefined);

describe.each(CLIENTS)('$client', ({ client, convention, usage, calls, service, session, tool }) => {
  let arrived: Arrived;
  beforeAll(async () => {
    arrived = await arrivals(client, calls);
  });

  test('the plain call shows the same facts, tokens and cost', () => {
    const plain = arrived.spans.filter(
      (span) => isPlain(span) && span.convention === convention && (!session || span.sessionId !== null),
    );
    expect(plain.length).toBeGreaterThan(0);
    // Streamed calls may say more than others: the plain one is not streamed.
    const span = plain.find(({ timeToFirstTokenMs }) => timeToFirstTokenMs === null) ?? plain[0];
    expect(span).toMatchObject({
      provider: 'openai',
      requestModel: 'gpt-4o-mini',
      usage,
      inputTokens: 120,
      outputTokens: 30,
      countsUsage: true,
      errorType: null,
    });
    expect(span?.costUsd).toBeCloseTo(usage === FULL ? 0.0000312 : 0.000036, 10);
    if (client !== 'langfuse') expect(span?.responseModel).toBe('gpt-4o-mini-2024-07-18');
    if (service !== undefined) expect(span?.service).toBe(service);
    if (session) expect(span).toMatchObject({ sessionId: 's-9', userId: 'user-42' });
  });

  test('the plain call shows the same conversation', () => {
    const span = arrived.spans.find((candidate) => isPlain(candidate) && candidate.convention === convention);
    expect(span?.conversation.input).toEqual([{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }]);
    expect(span?.conversation.output).toMatchObject([
      { role: 'assistant', parts: [{ type: 'text', text: 'Hello Ada' }] },
    ]);
    expect(
      arrived.traces.some(({ preview }) => preview.input === 'hi' && preview.output === 'Hello Ada'),
    ).toBe(true);
  });

  when(tool)?.('the call with a tool shows what the model asked of it', () => {
    const span = arrived.spans.find(
      ({ operation, conversation }) => operation === 'chat' && conversation.tools.length > 0,
    );
    expect(span?.conversation.tools[0]).toMatchObject({
      name: 'get_weather',
      description: 'Weather of a city',
    });
    expect(span?.conversation.output[0]?.parts).toEqual([
      { type: 'tool_call', id: 'call_1', name: 'get_weather', arguments: '{"city":"Paris"}' },
    ]);
  });

  when(['ai-v5', 'ai-v7'].includes(client))?.(
    'a tool loop counts its calls once: 240/60, not 480/120',
    () => {
      const loop = arrived.spans.find(({ operation }) => operation === 'execute_tool');
      const trace = arrived.traces.find(({ traceId }) => traceId === loop?.traceId);
      expect(trace).toMatchObject({ inputTokens: 240, outputTokens: 60 });
      expect(loop).toMatchObject({ tool: 'get_weather' });
      expect(loop?.conversation.toolExecution).toMatchObject({
        arguments: '{"city":"Paris"}',
        result: 'sunny in Paris',
      });
    },
  );

  when(client === 'langfuse')?.('a picture that the SDK uploads is shown where it was', async () => {
    const [message] = arrived.spans.find(({ name }) => name === 'picture')?.conversation.input ?? [];
    expect(message?.parts).toEqual([
      {
        type: 'media',
        modality: 'image',
        mimeType: 'image/png',
        uri: expect.stringMatching(/^candela-media:[\w-]{22}$/),
      },
    ]);
    const [part] = message?.parts ?? [];
    const id = part?.type === 'media' ? part.uri.slice('candela-media:'.length) : '';
    expect((await api.media(id)).toString('base64')).toBe(PNG_BASE64);
  });

  when(client === 'openlit')?.('a call reported by two instrumentations counts once', () => {
    const spans = arrived.spans.filter(({ provider }) => provider === 'anthropic');
    expect(spans.map(({ convention: by }) => by).toSorted()).toEqual(['anthropic-sdk', 'gen-ai']);
    expect(spans.every((span) => span.inputTokens === 120)).toBe(true);
    const trace = arrived.traces.find(({ traceId }) => traceId === spans[0]?.traceId);
    expect(trace).toMatchObject({ inputTokens: 120, outputTokens: 30 });
    expect(trace?.costUsd).toBeCloseTo((56 * 3 + 64 * 0.3 + 30 * 15) / 1e6, 10);
  });

  when(['openlit', 'ai-v5', 'ai-v7', 'langfuse'].includes(client))?.(
    'a failed call shows its error and no tokens',
    () => {
      const failed = arrived.spans.find(
        ({ requestModel, operation }) => requestModel === 'boom' && operation === 'chat',
      );
      expect(failed?.errorType).not.toBeNull();
      expect(failed?.inputTokens).toBeNull();
    },
  );

  when(client === 'otel-exporters')?.(
    'every encoding arrived: JSON, protobuf, gRPC, each with and without gzip',
    () => {
      expect(arrived.spans.map(({ service: name }) => name).toSorted()).toEqual(
        ['grpc', 'grpc-gzip', 'json', 'json-gzip', 'proto', 'proto-gzip'].map(
          (name) => `client-otel-${name}`,
        ),
      );
    },
  );
});

describe('anthropic-sdk', () => {
  test('its own spans show tokens, cost and the reason it stopped', async () => {
    const { spans } = await arrivals('anthropic-sdk', 4);
    expect(spans).toHaveLength(4);
    const calls = spans.filter(({ errorType }) => errorType === null);
    expect(calls.map(({ finishReason }) => finishReason).toSorted()).toEqual(['stop', 'stop', 'tool_calls']);
    for (const call of calls) {
      expect(call).toMatchObject({
        convention: 'anthropic-sdk',
        provider: 'anthropic',
        usage: FULL,
        countsUsage: true,
      });
      expect(call.costUsd).toBeCloseTo((56 * 3 + 64 * 0.3 + 30 * 15) / 1e6, 10);
    }
    expect(spans.find(({ errorType }) => errorType !== null)).toMatchObject({
      requestModel: 'boom',
      errorType: 'rate_limit_error',
    });
  });
});

/** What the recorded spans say of these is in semconv's `recorded.test.ts`; here that the whole way holds. */
const PYTHON: Readonly<Record<(typeof PYTHON_CLIENTS)[number], { calls: number; session: boolean }>> = {
  genkit: { calls: 3, session: false },
  mlflow: { calls: 2, session: true },
  laminar: { calls: 2, session: true },
  // It has no OpenTelemetry of its own: its program makes one call.
  opik: { calls: 1, session: true },
  logfire: { calls: 3, session: false },
  langchain: { calls: 2, session: true },
};
describe.each(PYTHON_CLIENTS.map((client) => [client, pythonOf(client)] as const))(
  '%s of PyPI',
  (client, python) => {
    test.skipIf(python === undefined)('its calls show their messages, tokens and cost', async () => {
      const { calls: expected, session } = PYTHON[client];
      const { spans } = await arrivals(client, expected);
      const calls = spans.filter(({ operation }) => operation === 'chat');
      expect(calls).toHaveLength(expected);
      const plain = calls.find(
        ({ conversation: { input, output } }) =>
          input.at(-1)?.role === 'user' && output[0]?.parts[0]?.type === 'text',
      );
      expect(plain).toMatchObject({ inputTokens: 120, outputTokens: 30 });
      expect(plain?.requestModel).toMatch(/^gpt-4o-mini(?:-2024-07-18)?$/);
      expect(plain?.costUsd).toBeGreaterThan(0.00003);
      expect(plain?.conversation.input.at(-1)?.parts).toEqual([{ type: 'text', text: 'hi' }]);
      expect(plain?.conversation.output[0]?.parts[0]).toEqual({ type: 'text', text: 'Hello Ada' });
      const who = spans.map(({ sessionId, userId }) => [sessionId, userId]);
      if (session) expect(who).toContainEqual(['s-9', 'user-42']);
    });
  },
);

describe('the examples of docs/send-telemetry.md run as they stand', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'candela-examples-'));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));
  const text = readFileSync(join(ROOT, 'docs/send-telemetry.md'), 'utf8');
  const exampleOf = (language: string, says: string) =>
    Array.from(
      text.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs')),
      ([, code = '']) => code,
    ).find((code) => code.includes(says)) ?? '';
  /** The variables that the document says to set. */
  const env = () => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: platform.otlpHttp,
    OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${API_KEY}`,
    OTEL_SERVICE_NAME: 'shop',
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: `${ai.url}/v1`,
  });
  const shown = ({ spans }: Arrived) => spans.find(({ operation }) => operation === 'chat');
  const SAID = {
    service: 'shop',
    requestModel: 'gpt-4o-mini',
    sessionId: 'visit-17',
    userId: 'ada',
    inputTokens: 120,
    conversation: {
      input: [{ role: 'user', parts: [{ type: 'text', text: 'When do you open?' }] }],
      output: [{ role: 'assistant', parts: [{ type: 'text', text: 'You said: When do you open?' }] }],
    },
  };

  const modules = [
    'openai',
    'openinference.instrumentation.openai',
    'opentelemetry.exporter.otlp.proto.http',
  ];
  const python = pythonWith(modules);
  if (python === undefined)
    console.warn(
      `SKIPPED: the Python example of docs/send-telemetry.md: no Python has ${modules.join(', ')}.`,
    );
  test.skipIf(python === undefined)('in Python, with session, user and agent', async () => {
    const script = join(scratch, 'example.py');
    writeFileSync(script, exampleOf('python', 'OpenAIInstrumentor'));
    const arrived = await arrivalsOf('the example', 1, () => runProgram(python ?? '', [script], env()));
    expect(shown(arrived)).toMatchObject(SAID);
    expect(arrived.spans.find(({ operation }) => operation === 'invoke_agent')).toMatchObject({
      agent: 'guide',
    });
  });

  test('in TypeScript, with session and user', async () => {
    // As its `npm install` would lay them.
    const lay = (name: string, from: string) => {
      const at = join(scratch, 'node_modules', name);
      mkdirSync(dirname(at), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', from), at);
    };
    lay('ai', 'ai5');
    lay('@ai-sdk/openai', 'ai5-openai');
    for (const name of ['sdk-node', 'exporter-trace-otlp-proto'])
      lay(`@opentelemetry/${name}`, `@opentelemetry/${name}`);
    const script = join(scratch, 'example.mts');
    writeFileSync(script, exampleOf('ts', 'generateText'));
    const arrived = await arrivalsOf('the example', 1, () => runProgram(NODE_BINARY, [script], env()));
    expect(shown(arrived)).toMatchObject(SAID);
  });
});
