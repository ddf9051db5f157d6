import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it, vi } from 'vitest';
import { addressOf, call } from './client.ts';

afterEach(() => vi.unstubAllGlobals());

it('puts values of a path and a query where the contract has them, and leaves out what is undefined', () => {
  expect(
    addressOf('getSpan', { params: { traceId: 'a/b', spanId: 'c d' }, query: { start: undefined } }),
  ).toBe('/api/telemetry/traces/a%2Fb/spans/c%20d');
  expect(addressOf('listMetrics', { query: { q: 'a&b', limit: 5 } })).toBe(
    '/api/telemetry/metrics?q=a%26b&limit=5',
  );
});

it('sends method, body and environment of the call', async () => {
  const sent = vi.fn((_path: string, _init: RequestInit) => Promise.resolve(Response.json({ data: [] })));
  vi.stubGlobal('fetch', sent);
  await call('tracePreviews', { body: { traces: [] }, environment: 'staging' });
  const [path, init] = sent.mock.calls[0] ?? [];
  expect([path, init?.method, init?.body]).toEqual([
    '/api/telemetry/traces/previews',
    'POST',
    '{"traces":[]}',
  ]);
  expect(new Headers(init?.headers).get('x-platform-environment')).toBe('staging');
});

const HERE = dirname(fileURLToPath(import.meta.url));

/** What the compiler says of each text, compiled beside the client with the settings of the web UI. */
function compiled(texts: readonly string[]): string {
  const folder = mkdtempSync(join(HERE, 'planted-'));
  try {
    const files = texts.map((text, index) => {
      const file = join(folder, `planted-${index}.ts`);
      writeFileSync(file, `import { call } from '../client.ts';\n${text}\n`);
      return file;
    });
    const config = join(folder, 'tsconfig.json');
    writeFileSync(config, JSON.stringify({ extends: '../../../tsconfig.json', include: [], files }));
    const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
    execFileSync(process.execPath, [tsc, '-p', config], { encoding: 'utf8', stdio: 'pipe' });
    return '';
  } catch (error) {
    return String((error as { stdout?: string }).stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it('the compiler refuses a wrong route, path, query, body and use of an answer', { timeout: 300_000 }, () => {
  const complaints = compiled([
    `export const right = await call('getTrace', { params: { traceId: 'x' } }).then(({ data }) => data.spans.length);`,
    `await call('getTraces', { params: { traceId: 'x' } });`,
    `await call('getTrace', { params: { trace: 'x' } });`,
    `await call('getTrace');`,
    `await call('listMetrics', { query: { limit: 'five' } });`,
    `await call('searchTraces', { body: { sort: 'upwards' } });`,
    `export const n: number = await call('getReady').then(({ nothing }) => nothing);`,
    `await call('tail', {});`,
  ]);
  const refused = new Set(Array.from(complaints.matchAll(/planted-(\d)\.ts/g), ([, index]) => Number(index)));
  expect([...refused].toSorted(), complaints).toEqual([1, 2, 3, 4, 5, 6, 7]);
});
