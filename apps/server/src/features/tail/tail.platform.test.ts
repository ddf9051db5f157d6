import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@candela/kernel';
import { encodeTraceRequest } from '@candela/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Config, readConfig } from '../../config.ts';
import { createMetrics } from '../../metrics.ts';
import { type Platform, startPlatform } from '../../platform.ts';
import { openView, type View } from './testing.ts';
import { newStoreIn } from '@candela/telemetry-store/testing';

let dir: string;
let platform: Platform;

async function start(changes: Partial<Config> = {}): Promise<Platform> {
  const config = readConfig({
    PLATFORM_DATA_DIR: dir,
    PLATFORM_PORT: '0',
    PLATFORM_OTLP_HTTP_PORT: '0',
    PLATFORM_OTLP_GRPC_PORT: '0',
    PLATFORM_MIN_FREE_DISK_PERCENT: '0',
    PLATFORM_MAX_STREAMS_PER_CLIENT: '3',
    PLATFORM_TAIL_ROWS_PER_SECOND: '40',
  });
  return startPlatform({ ...config, ...changes }, { logger: silentLogger, metrics: createMetrics() });
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'candela-tail-'));
  newStoreIn(join(dir, 'telemetry'));
  platform = await start();
});
afterAll(async () => {
  await platform.stop();
  await rm(dir, { recursive: true, force: true });
});

let next = 1;

/** Sends spans of that name; returns their ids. */
async function send(name: string, count: number, service = 'shop'): Promise<string[]> {
  const now = BigInt(Date.now()) * 1_000_000n;
  const ids = Array.from({ length: count }, () => (next++).toString(16).padStart(16, '0'));
  const body = encodeTraceRequest({
    resourceSpans: [
      {
        resource: { attributes: { 'service.name': service } },
        scopeSpans: [
          {
            scope: { name: 'test' },
            spans: ids.map((spanId) => ({
              traceId: spanId.padStart(32, '0'),
              spanId,
              name,
              kind: 2,
              startTimeUnixNano: now - 5_000_000n,
              endTimeUnixNano: now,
            })),
          },
        ],
      },
    ],
  });
  const answer = await fetch(`${platform.otlpHttp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-protobuf' },
    body: Buffer.from(body),
  });
  expect(answer.status).toBe(200);
  return ids;
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const open = (query: string, headers?: Record<string, string>): Promise<View> =>
  openView(platform.http, query, headers);

describe('a live view', () => {
  it('tells each new row once, in order of arrival, and only those that match', async () => {
    const view = await open('signal=spans&q=name%3Awanted');
    expect(view.response.status).toBe(200);
    expect(view.response.headers.get('content-type')).toContain('text/event-stream');
    expect(view.response.headers.get('content-encoding')).toBeNull();
    const ids: string[] = [];
    for (let turn = 0; turn < 5; turn++) {
      ids.push(...(await send('wanted', 3)));
      await send('other', 2);
      await sleep(400);
    }
    await view.until(({ spanIds }) => spanIds.length >= ids.length);
    await sleep(1_200);
    expect([...view.spanIds].sort()).toEqual([...ids].sort());
    expect(view.skipped).toBe(0);
    const [row] = view.events.flatMap(({ event, data }) => (event === 'rows' ? (data as object[]) : []));
    expect(row).toMatchObject({ name: 'wanted', service: 'shop', kind: 'server' });
    view.leave();
  });

  it('goes on after a lost connection where it stopped: nothing twice, nothing missing', async () => {
    const first = await open('q=name%3Aagain');
    const before = await send('again', 4);
    await first.until(({ spanIds }) => spanIds.length === before.length);
    const lastId = first.events.at(-1)?.id ?? '';
    first.leave();
    const meanwhile = await send('again', 5);
    await sleep(600);
    const second = await open('q=name%3Aagain', { 'last-event-id': lastId });
    const after = await send('again', 2);
    await second.until(({ spanIds }) => spanIds.length >= 7);
    await sleep(1_200);
    expect([...second.spanIds].sort()).toEqual([...meanwhile, ...after].sort());
    second.leave();
  });

  it('begins a while ago, by the clock of the platform', async () => {
    const before = await send('earlier', 3);
    const view = await open('q=name%3Aearlier&since=-60s');
    await view.until(({ spanIds }) => spanIds.length === before.length);
    expect([...view.spanIds].sort()).toEqual([...before].sort());
    view.leave();
    const wrong = await fetch(`${platform.http}/api/telemetry/tail?since=lately`);
    expect([wrong.status, wrong.headers.get('x-platform-error-code')]).toEqual([400, 'bad_query']);
  });

  it('takes the place of its connection that is still thought to be there', async () => {
    const first = await open('q=name%3Aplace');
    const [one] = await send('place', 1);
    await first.until(({ spanIds }) => spanIds.length === 1);
    const second = await open('q=name%3Aplace', { 'last-event-id': first.events.at(-1)?.id ?? '' });
    expect(await first.ended).toBe('end');
    const [two] = await send('place', 1);
    await second.until(({ spanIds }) => spanIds.length > 0);
    expect([first.spanIds, second.spanIds]).toEqual([[one], [two]]);
    second.leave();
  });

  it('says how many rows it left out when more arrive than a client is sent', async () => {
    const view = await open('q=name%3Aflood');
    await sleep(200);
    const ids = await send('flood', 1_000);
    await view.until(({ skipped }) => skipped > 0);
    await sleep(1_500);
    expect(view.spanIds.length + view.skipped).toBe(ids.length);
    expect(view.spanIds.length).toBeLessThanOrEqual(80);
    view.leave();
  });

  it('refuses what is wrong before it begins, and more views than its bound', async () => {
    const wrong = await fetch(`${platform.http}/api/telemetry/tail?q=nope%3A1`);
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toEqual({ err: expect.stringContaining('no field "nope"') as string });
    expect((await fetch(`${platform.http}/api/telemetry/tail?signal=smells`)).status).toBe(400);
    // A page of another site opens none: it could hold those that the reader needs.
    for (const site of ['cross-site', 'same-site']) {
      const foreign = await fetch(`${platform.http}/api/telemetry/tail`, {
        headers: { 'sec-fetch-site': site },
      });
      expect(foreign.status).toBe(403);
    }
    await sleep(300);
    const views = await Promise.all([open(''), open(''), open('')]);
    const fourth = await fetch(`${platform.http}/api/telemetry/tail`);
    expect(fourth.status).toBe(429);
    expect(fourth.headers.get('x-platform-error-code')).toBe('too_many_streams');
    expect(fourth.headers.get('retry-after')).not.toBeNull();
    for (const view of views) view.leave();
    await sleep(300);
    const again = await open('');
    expect(again.response.status).toBe(200);
    again.leave();
  });

  it('ends with a sentence when the platform stops', async () => {
    const view = await open('');
    await sleep(100);
    const stopped = platform.stop();
    expect(await view.ended).toBe('end');
    expect(view.events.at(-1)).toMatchObject({ event: 'failure', data: { code: 'shutting_down' } });
    expect(await stopped).toBe(true);
    platform = await start();
  });
});
