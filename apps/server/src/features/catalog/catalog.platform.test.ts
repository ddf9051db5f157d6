import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INTEGRATION_TYPES } from '@candela/contract';
import { silentLogger } from '@candela/kernel';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../config.ts';
import { createMetrics } from '../../metrics.ts';
import { type Platform, startPlatform } from '../../platform.ts';
import { INTEGRATIONS } from './integrations.ts';
import { newStoreIn } from '@candela/telemetry-store/testing';

let dir: string;
let platform: Platform;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'candela-catalog-'));
  newStoreIn(join(dir, 'telemetry'));
  const config = readConfig({
    PLATFORM_DATA_DIR: dir,
    PLATFORM_PORT: '0',
    PLATFORM_OTLP_HTTP_PORT: '0',
    PLATFORM_OTLP_GRPC_PORT: '0',
    PLATFORM_LOCAL_COLLECTOR: 'false',
  });
  platform = await startPlatform(config, { logger: silentLogger, metrics: createMetrics() });
});
afterAll(async () => {
  await platform.stop();
  await rm(dir, { recursive: true, force: true });
});

// The tables of the specification, written down a second time: the answers are held against these, not against the
// schemas they were declared with.
const text = { type: 'string' };
const flag = { type: 'boolean' };
const uri = { type: 'string', format: 'uri' };
const object = (properties: Record<string, object>, optional: readonly string[] = []): object => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});
const plan = object(
  {
    name: text,
    price: { type: 'string', pattern: '^\\d+(\\.\\d+)?$' },
    currency: text,
    license: text,
    self_serve: flag,
    availability: text,
    summary: text,
    url: uri,
  },
  ['price', 'currency', 'license', 'self_serve', 'availability'],
);
const failure = object({ error: object({ code: text, message: text, hint: text }) });
const TABLES = {
  '/api/v1/pricing': object({ oss: plan, cloud: plan }),
  '/api/v1/onboarding': object({
    free_tier: object({ available: flag, price: text, currency: text, url: uri }),
    api_keys: object({ self_serve: flag, method: text, docs: uri }, ['method']),
    sandbox: object({ available: flag, url: uri, type: text, quickstart: uri }, ['quickstart']),
  }),
  '/api/v1/cli': object(
    {
      name: text,
      homebrew: object({ tap: text, formula: text, install: text, formula_url: uri }),
      docs: uri,
      go_install: text,
    },
    ['go_install'],
  ),
  '/api/v1/integrations': object({
    integrations: { type: 'array', items: object({ name: text, type: text, docs_url: uri }) },
  }),
  '/api/v1/health': object({ status: { enum: ['ok'] }, service: text }),
};
const PATHS = Object.keys(TABLES) as (keyof typeof TABLES)[];

const ajv = new Ajv({ allErrors: true });
addFormats.default(ajv);
const complaints = (schema: object, value: unknown): unknown => {
  const validate = ajv.compile(schema);
  return validate(value) ? [] : validate.errors;
};

const get = (path: string, init: RequestInit = {}) => fetch(platform.http + path, init);

/** As it is written: fetch would tidy the path. */
async function raw(path: string, method = 'GET'): Promise<{ status: number; body: string; allow: string }> {
  const { hostname, port } = new URL(platform.http);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, path, method }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body, allow: response.headers.allow ?? '' }),
      );
    });
    request.on('error', reject);
    request.end();
  });
}

describe('the catalog', () => {
  it.each(PATHS)('%s answers what the specification says, to anybody', async (path) => {
    for (const headers of [
      {},
      { origin: 'https://elsewhere.example' },
      { authorization: 'Bearer nonsense', 'x-platform-project-id': 'nope' },
      { 'x-forwarded-for': '203.0.113.9' },
    ]) {
      const answer = await get(path, { headers });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('x-request-id')).toMatch(/./);
      expect(complaints(TABLES[path], await answer.json())).toEqual([]);
    }
  });

  it('says that the open-source plan is free and needs no key', async () => {
    const { oss } = (await (await get('/api/v1/pricing')).json()) as { oss: Record<string, unknown> };
    expect(oss).toMatchObject({ price: '0', currency: 'USD', license: 'Apache-2.0' });
  });

  it.each(PATHS)('%s is asked again cheaply', async (path) => {
    const first = await get(path);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect(first.headers.get('cache-control')).toMatch(/max-age=\d+|no-cache/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get(path, { headers: { 'if-none-match': known } });
      expect([again.status, await again.text(), again.headers.get('etag')], known).toEqual([304, '', etag]);
    }
    expect((await get(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it.each(PATHS)('%s takes GET, and HEAD as GET without the body', async (path) => {
    const [got, head] = [await get(path), await get(path, { method: 'HEAD' })];
    expect([head.status, head.headers.get('content-length')]).toEqual([
      200,
      got.headers.get('content-length'),
    ]);
    expect(await head.text()).toBe('');
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const refused = await raw(path, method);
      expect([method, refused.status, refused.allow]).toEqual([method, 405, 'GET, HEAD']);
      expect(complaints(failure, JSON.parse(refused.body))).toEqual([]);
      expect(refused.body).toContain('"method_not_allowed"');
    }
    const posted = await get(path, { method: 'POST', body: '{"a":1}' });
    expect(posted.status).toBe(405);
  });

  it('knows nothing else below its prefix', async () => {
    for (const path of [
      '/api/v1',
      '/api/v1/',
      '/api/v1/nope',
      '/api/v1/ready',
      '/api/v1/health/',
      '/api/v1/health/x',
      '/api/v1//health',
      '/api/v1/Health',
      '/api/v1/./health',
      '/api/v1/x/../health',
      '/api/v1/%68ealth',
      '/api/v1/..%2fhealth',
      '/api/v1/health%00',
      '/api/v1/health;x=1',
      '/api/v1/__proto__',
      '/api/v1/traces/search',
    ]) {
      const answer = await raw(path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(complaints(failure, JSON.parse(answer.body)), path).toEqual([]);
      expect(answer.body).toContain('"not_found"');
    }
    // Encoded further up it is for the rest of the platform to refuse; it is never the catalog's answer.
    for (const path of ['/%61pi/v1/health', '//api/v1/health', '/api/v1%2fhealth', '/x/../api/v1/health']) {
      expect([400, 404], path).toContain((await raw(path)).status);
    }
    expect((await fetch(`${platform.otlpHttp}/api/v1/health`)).status).toBe(404);
  });
});

describe('the list of integrations', () => {
  const list = async (query: string) =>
    (await (await get(`/api/v1/integrations${query}`)).json()) as {
      integrations: { name: string; type: string; docs_url: string }[];
    };

  it('has at least sixty, each once, each of a known category', async () => {
    const { integrations } = await list('');
    expect(integrations).toHaveLength(INTEGRATIONS.length);
    expect(integrations.length).toBeGreaterThanOrEqual(60);
    expect(new Set(integrations.map(({ name }) => name)).size).toBe(integrations.length);
    for (const { type, docs_url: docs } of integrations) {
      expect(INTEGRATION_TYPES).toContain(type);
      expect(new URL(docs).protocol).toBe('https:');
    }
  });

  it('gives those of a category; all categories together are all of them', async () => {
    let total = 0;
    for (const type of INTEGRATION_TYPES) {
      const { integrations } = await list(`?type=${encodeURIComponent(type)}`);
      expect(integrations.length, type).toBeGreaterThan(0);
      expect(integrations.every((entry) => entry.type === type)).toBe(true);
      total += integrations.length;
    }
    expect(total).toBe(INTEGRATIONS.length);
    expect((await list('?type=Vector+DB')).integrations.length).toBeGreaterThan(0);
    expect((await list('?utm=x')).integrations).toHaveLength(total);
  });

  it.each(['?type=nope', '?type=', '?type=llm', '?type=LLM&type=Framework', '?type=%00', '?type=__proto__'])(
    'refuses %s with the valid categories',
    async (query) => {
      const answer = await get(`/api/v1/integrations${query}`);
      expect(answer.status).toBe(400);
      const body = (await answer.json()) as { error: { code: string; message: string } };
      expect(complaints(failure, body)).toEqual([]);
      expect(body.error.code).toBe('invalid_parameter');
      for (const type of INTEGRATION_TYPES) expect(body.error.message).toContain(type);
    },
  );
});
