import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { silentLogger } from '@candela/kernel';
import { NODE_BINARY, percentile, startAckLoad, startFakeAi, startPlatform } from '@candela/testkit';
import { describe, expect, it, vi } from 'vitest';
import { readConfig } from '../config.ts';
import { ask, configure, textIn } from '../features/chat/testing/ask.ts';
import { openBrowser } from '../features/identity/testing/browser.ts';
import { createMetrics } from '../metrics.ts';
import { startPlatform as startHere } from '../platform.ts';
import { say } from './testing/say.ts';
import { post } from './testing/client.ts';
import { openReceivers } from './testing/harness.ts';
import { span, traceBody, traceIdOf, traceRequest } from './testing/spans.ts';
import { encodeTraceRequest } from '@candela/otlp';
import { faultSite, portOf, residentMib, sleep, unhandled } from './testing/fault-site.ts';

const site = faultSite();

describe('case 19: the engine stands still (SIGSTOP)', () => {
  it('requests go on being acknowledged, memory stays bounded, and everything is stored once', async () => {
    const platform = await site.start();
    const load = startAckLoad({
      endpoint: () => platform.otlpHttp,
      clients: 20,
      service: 'case19',
      spansPerRequest: 50,
    });
    try {
      await sleep(1_000);
      const before = residentMib(platform.pid);
      const engine = platform.enginePid ?? 0;
      const acknowledgedBefore = load.acknowledged.size;
      process.kill(engine, 'SIGSTOP');
      await sleep(8_000);
      expect(load.acknowledged.size).toBeGreaterThan(acknowledgedBefore + 100);
      expect(residentMib(platform.pid) - before).toBeLessThan(400);
      try {
        process.kill(engine, 'SIGCONT');
      } catch {
        // The watchdog was faster.
      }
      await sleep(1_000);
    } finally {
      await load.stop();
    }
    expect(unhandled(platform)).toEqual([]);
    expect((await platform.stop()).code).toBe(0);
    const result = await site.compare(load, 'case19');
    expect(result).toMatchObject({ lost: [], doubled: [], unknown: [] });
    expect(percentile(load.latencies, 0.5)).toBeLessThan(1_000);
  });
});

describe('case 20: an insert whose answer is lost', () => {
  it('is repeated with the same token and stored once', async () => {
    let lost = 0;
    const receivers = await openReceivers({
      wrapStore: (store) => ({
        async insertNative(table, parts, token) {
          await store.insertNative(table, parts, token);
          lost += 1;
          if (lost % 2 === 1) throw new Error('the connection was cut after the insert');
        },
        health: () => store.health(),
      }),
    });
    try {
      for (let n = 0; n < 10; n += 1) {
        await post(receivers.port, traceBody(`lost ${n}`, 100));
        // More groups than one, however fast the requests come.
        if (n % 3 === 0) await receivers.log.flush(30_000);
      }
      const [row] = await receivers.rows<{ n: string }>('SELECT count() AS n FROM otel_traces');
      expect(Number(row?.n)).toBe(1_000);
      expect(lost).toBeGreaterThan(2);
    } finally {
      await receivers.close();
    }
  });
});

describe('case 21: clocks', () => {
  it('a day forward and a day back: everything is stored once and stays; a resend is not remembered for ever', async () => {
    const clock = { ms: Date.now(), now: () => clock.ms };
    const receivers = await openReceivers({ clock });
    const day = 86_400_000;
    try {
      for (const [index, jump] of [0, day, -day, -day].entries()) {
        clock.ms += jump;
        const body = traceBody(`jump ${index}`, 10);
        expect((await post(receivers.port, body)).status).toBe(200);
        expect((await post(receivers.port, body)).status).toBe(200);
      }
      const [row] = await receivers.rows<{ n: string }>('SELECT count() AS n FROM otel_traces');
      expect(Number(row?.n)).toBe(40);
    } finally {
      await receivers.close();
    }
  });

  it('spans of next year and of 1990 are kept: retention follows their arrival', async () => {
    const receivers = await openReceivers();
    try {
      const at = (year: number): bigint => BigInt(Date.UTC(year, 0, 1)) * 1_000_000n;
      const spans = [1990, 2030].map((year) =>
        span('years', String(year), { startTimeUnixNano: at(year), endTimeUnixNano: at(year) + 5n }),
      );
      await post(receivers.port, encodeTraceRequest(traceRequest(spans)));
      await receivers.log.flush(5_000);
      await receivers.store.command('OPTIMIZE TABLE otel_traces FINAL');
      const rows = await receivers.rows<{ name: string; year: number }>(
        'SELECT SpanName AS name, toYear(Timestamp) AS year FROM otel_traces WHERE TraceId = {id:String} ORDER BY Timestamp',
        { id: traceIdOf('years') },
      );
      expect(rows.map((row) => row.year)).toEqual([1990, 2030]);
    } finally {
      await receivers.close();
    }
  });
});

describe('case 22: the end', () => {
  it('SIGTERM under load: what is under way is answered, exit 0, everything acknowledged is in the store', async () => {
    const platform = await site.start();
    let target: string | undefined = platform.otlpHttp;
    const load = startAckLoad({ endpoint: () => target, clients: 50, service: 'case22' });
    await sleep(1_500);
    const startedAt = performance.now();
    const stopping = platform.stop();
    await sleep(30);
    target = undefined;
    const { code, signal } = await stopping;
    await load.stop();
    say(
      `case 22: stopped in ${Math.round(performance.now() - startedAt)} ms, ${load.acknowledged.size} acknowledged`,
    );
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    const result = await site.compare(load, 'case22');
    expect(result).toMatchObject({ lost: [], doubled: [], unknown: [] });
    expect(result.acknowledged).toBeGreaterThan(100);
    expect(unhandled(platform)).toEqual([]);
  });

  it('a second process on the same directory ends with a clear error and does no harm', async () => {
    const platform = await site.start();
    await expect(startPlatform({ dataDir: site.dataDir })).rejects.toThrow(/in use|another/i);
    expect((await post(portOf(platform.otlpHttp), traceBody('still here'))).status).toBe(200);
    expect((await platform.stop()).code).toBe(0);
  });

  it('the log alone refuses a second process as well', async () => {
    const platform = await site.start();
    const script = `import { openIngestLog } from '@candela/telemetry-store';
      openIngestLog({ dir: ${JSON.stringify(join(site.dataDir, 'ingest-log'))}, store: {}, logger: {}, capBytes: 1, minFreeDiskPercent: 0 })
        .then(() => console.log('opened'), (error) => console.log(error.message));`;
    const { stdout } = await promisify(execFile)(NODE_BINARY, ['--input-type=module', '-e', script], {
      cwd: new URL('../../', import.meta.url).pathname,
    });
    expect(stdout).toMatch(/in use by another Candela process \(pid \d+\)/);
    await platform.stop();
  });
});

describe('case 23: steady load, in short', () => {
  it('open files and memory stay level', async () => {
    const platform = await site.start();
    const load = startAckLoad({
      endpoint: () => platform.otlpHttp,
      clients: 10,
      service: 'case23',
      spansPerRequest: 20,
    });
    const files = async (): Promise<number> => (await readdir(`/proc/${platform.pid}/fd`)).length;
    try {
      await sleep(4_000);
      const before = { files: await files(), rss: residentMib(platform.pid) };
      await sleep(8_000);
      const after = { files: await files(), rss: residentMib(platform.pid) };
      say(
        `case 23: files ${before.files} -> ${after.files}, RSS ${before.rss.toFixed(0)} -> ${after.rss.toFixed(0)} MiB`,
      );
      expect(Math.abs(after.files - before.files)).toBeLessThan(15);
      expect(after.rss - before.rss).toBeLessThan(150);
    } finally {
      await load.stop();
    }
    expect((await platform.stop()).code).toBe(0);
    const result = await site.compare(load, 'case23');
    expect(result).toMatchObject({ lost: [], doubled: [] });
  });
});

describe('kill -9 in the middle of an answer', () => {
  it('what was said is there after the restart, and the conversation goes on', async () => {
    const ai = await startFakeAi({
      chunkDelayMs: 5,
      respond: ({ messages }) =>
        JSON.stringify((messages as unknown[]).at(-1)).includes('Tell me')
          ? { text: 'Half of it. '.repeat(2_000) }
          : undefined,
    });
    const me = { email: 'ada@example.com', password: 'analytical engine 1843' };
    const env = { PLATFORM_ADMIN_EMAIL: me.email, PLATFORM_ADMIN_PASSWORD: me.password };
    const signIn = async (http: string) => {
      const browser = openBrowser(http);
      expect((await browser.call('POST', '/api/auth/sign-in', me)).status).toBe(200);
      return browser;
    };
    const first = await site.start({ env, newStore: true });
    const before = await signIn(first.http);
    await configure(before, `${ai.url}/v1`);
    const { data: chat } = await before.call('POST', '/api/chat/conversation', {});
    const path = `/api/chat/conversation/${String(chat.id)}`;
    const cut = before
      .call('POST', '/api/chat/message', { conversationId: chat.id, content: 'Tell me' })
      .catch(() => undefined);
    await vi.waitFor(async () => expect((await before.call('GET', path)).text).toContain('Half of it.'), {
      timeout: 30_000,
      interval: 100,
    });
    // Many times what comes between two writes of an answer.
    const seen = await vi.waitFor(
      async () => {
        const { data } = await before.call('GET', path);
        const text = textIn(data.thread[1]);
        expect(text.length).toBeGreaterThan(6_000);
        return text;
      },
      { timeout: 30_000, interval: 100 },
    );
    await first.kill();
    await cut;
    await vi.waitFor(() => expect(ai.open).toBe(0), { timeout: 30_000, interval: 50 });
    // A process that nobody heard of for so long is taken for dead.
    const clock = { now: () => Date.now() + 30_000 };
    const config = readConfig({
      PLATFORM_DATA_DIR: site.dataDir,
      PLATFORM_PORT: '0',
      PLATFORM_OTLP_HTTP_PORT: '0',
      PLATFORM_OTLP_GRPC_PORT: '0',
      PLATFORM_LOCAL_COLLECTOR: 'false',
    });
    const second = await startHere(config, { logger: silentLogger, metrics: createMetrics(), clock });
    try {
      const after = await signIn(second.http);
      const { data } = await after.call('GET', path);
      expect(data.thread.map(({ status }: { status: string }) => status)).toEqual(['done', 'failed']);
      expect(textIn(data.thread[0])).toBe('Tell me');
      expect(data.thread[1].err).toMatch(/What had arrived is kept/);
      // At most what came since it was written last is lost.
      expect(textIn(data.thread[1]).length).toBeGreaterThan(seen.length / 2);
      const { answer } = await ask(after, 'And then?', { conversationId: String(chat.id) });
      expect(textIn(answer)).toBe('You said: And then?');
      expect(JSON.stringify(ai.requests.at(-1)?.body)).toContain('Half of it.');
    } finally {
      await second.stop();
      await ai.close();
    }
  });
});
