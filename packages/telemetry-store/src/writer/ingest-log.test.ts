import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CandelaError, type Logger, silentLogger } from '@candela/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type IngestLog, type IngestLogOptions, openIngestLog } from './ingest-log.ts';
import { RollupError } from '../client/errors.ts';
import { POISON, RecordingSink } from './testing/recording-sink.ts';
import { errorCode } from './wal/files.ts';
import { Segments } from './wal/segments.ts';

const MIB = 1024 * 1024;
const hashOf = (text: string): Uint8Array => createHash('sha256').update(text).digest().subarray(0, 16);

let base: string;
let dir: string;
let sink: RecordingSink;
const open: IngestLog[] = [];

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'candela-wal-'));
  dir = join(base, 'wal');
  sink = new RecordingSink();
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((log) => log.close()));
  await rm(base, { recursive: true, force: true });
});

async function start(options: Partial<IngestLogOptions> = {}): Promise<IngestLog> {
  const log = await openIngestLog({
    dir,
    store: sink,
    logger: silentLogger,
    capBytes: 64 * MIB,
    minFreeDiskPercent: 0,
    lingerMs: 5,
    closeWaitMs: 100,
    ...options,
  });
  open.push(log);
  return log;
}

const append = (log: IngestLog, text: string, hash = text): Promise<{ duplicate: boolean }> =>
  log.append({
    tenant: 'default',
    requestHash: hashOf(hash),
    blocks: [{ table: 'otel_traces', rows: 1, bytes: Buffer.from(text) }],
  });

const names = (count: number, prefix = 'r'): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}`);

/**
 * The directory as a crash at this moment would leave it. Copied without a pause, so that this process cannot go on
 * writing meanwhile; only a deletion that is under way may still come in between.
 */
function crash(): void {
  const copy = join(base, `crash-${Math.random().toString(36).slice(2)}`);
  mkdirSync(copy);
  for (const name of readdirSync(dir)) {
    if (name === 'lock') continue;
    try {
      cpSync(join(dir, name), join(copy, name), { recursive: true });
    } catch (thrown) {
      if (errorCode(thrown) !== 'ENOENT') throw thrown;
    }
  }
  dir = copy;
}

describe('ingest log', () => {
  it('carries every acknowledged request to the store once, in few groups', async () => {
    const log = await start({ lingerMs: 50 });
    await Promise.all(names(500).map((name) => append(log, name)));
    expect(await log.flush(5_000)).toBe(true);
    expect(sink.texts().toSorted()).toEqual(names(500).toSorted());
    expect(sink.stored.size).toBeLessThan(20);
    expect(log.health().state).toBe('ok');
  });

  it('keeps the blocks of one request together and the tables apart', async () => {
    const log = await start();
    await log.append({
      tenant: 'default',
      requestHash: hashOf('x'),
      blocks: [
        { table: 'otel_metrics_sum', rows: 1, bytes: Buffer.from('sum') },
        { table: 'otel_metrics_gauge', rows: 1, bytes: Buffer.from('gauge') },
      ],
    });
    await log.flush(5_000);
    expect(sink.texts('otel_metrics_sum')).toEqual(['sum']);
    expect(sink.texts('otel_metrics_gauge')).toEqual(['gauge']);
  });

  it('takes requests while the store is away and delivers them after a restart', async () => {
    sink.state = 'down';
    const log = await start({ segmentBytes: 2_000 });
    await Promise.all(names(100).map((name) => append(log, name)));
    expect(log.stats()).toMatchObject({ backlogRequests: 100, backlogBytes: names(100).join('').length });
    while (sink.attempts === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(log.health().reasons).toEqual(['the telemetry store takes no data at the moment']);
    await log.close();
    sink.state = 'ready';
    const again = await start({ segmentBytes: 2_000 });
    await append(again, 'late');
    expect(await again.flush(5_000)).toBe(true);
    expect(sink.texts().toSorted()).toEqual([...names(100), 'late'].toSorted());
    expect((await readdir(dir)).filter((name) => name.endsWith('.wal'))).toHaveLength(1);
  });

  it.each([0, 64 * MIB])('reads back what memory (%i bytes) did not hold', async (memoryCapBytes) => {
    sink.state = 'down';
    const log = await start({ memoryCapBytes, segmentBytes: 3_000 });
    for (const name of names(200)) await append(log, name);
    sink.state = 'ready';
    expect(await log.flush(8_000)).toBe(true);
    expect(sink.texts()).toEqual(names(200));
  });

  it('says so when the log itself cannot be read back, sets nothing aside, and goes on when it can', async () => {
    const said: string[] = [];
    const logger: Logger = { ...silentLogger, error: (_fields, message) => said.push(message ?? '') };
    sink.state = 'down';
    const log = await start({ memoryCapBytes: 0, logger });
    for (const name of names(20)) await append(log, name);
    const [file] = (await readdir(dir)).filter((name) => name.endsWith('.wal'));
    const path = join(dir, file ?? '');
    await rename(path, `${path}.away`);
    sink.state = 'ready';
    while (said.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(said[0]).toContain('carrying the write-ahead log into the store failed');
    expect(log.stats()).toMatchObject({ quarantinedRequests: 0, backlogRequests: 20 });
    await rename(`${path}.away`, path);
    expect(await log.flush(10_000)).toBe(true);
    expect(sink.texts()).toEqual(names(20));
  });

  it('forms the identical groups with the identical tokens after a crash inside an insert', async () => {
    const log = await start({ maxGroupRows: 40, segmentBytes: 3_000 });
    let stored = 0;
    // The third group is stored, but its answer never comes.
    sink.after = () => {
      stored += 1;
      return stored === 3 ? new Promise(() => {}) : undefined;
    };
    await Promise.all(names(200).map((name) => append(log, name)));
    while (stored < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    crash();
    sink.after = () => {};
    const again = await start({ maxGroupRows: 70 });
    expect(await again.flush(5_000)).toBe(true);
    expect(sink.texts().toSorted()).toEqual(names(200).toSorted());
    expect(sink.tokens.length).toBe(sink.stored.size + 1);
  });

  it('a crash at any moment loses and doubles nothing that was acknowledged', async () => {
    const acknowledged = new Set<string>();
    // How much is acknowledged in a round depends on the machine: there are as many as it takes.
    for (let round = 0; round < 16 || acknowledged.size <= 100; round += 1) {
      sink = sink.successor();
      sink.state = round % 3 === 1 ? 'down' : 'ready';
      const log = await start({
        segmentBytes: 300 + (round % 7) * 700,
        maxGroupRows: 30,
        lingerMs: 1,
        closeWaitMs: 1,
      });
      let dead = false;
      const work = names(60, `round${round}-`).map(async (name, index) => {
        await new Promise((resolve) => setTimeout(resolve, index / 4));
        await append(log, name);
        if (!dead) acknowledged.add(name);
      });
      await new Promise((resolve) => setTimeout(resolve, 3 + round));
      dead = true;
      sink.frozen = true;
      crash();
      await Promise.allSettled(work);
    }
    sink = sink.successor();
    const last = await start();
    expect(await last.flush(5_000)).toBe(true);
    const stored = sink.texts();
    expect(new Set(stored).size).toBe(stored.length);
    expect([...acknowledged].filter((name) => !stored.includes(name))).toEqual([]);
  });

  it.each(['no byte', 'a header only'])(
    'a crash that leaves a new segment with %s loses nothing',
    async (left) => {
      sink.state = 'down';
      const log = await start();
      for (const name of names(5)) await append(log, name);
      await log.close();
      if (left === 'no byte') await writeFile(join(dir, '00000002.wal'), '');
      else {
        const segments = new Segments({ dir, logger: silentLogger, onQuarantine: () => {} });
        await segments.recover([]);
        await (await segments.create(6)).handle.close();
        await segments.close();
      }
      sink.state = 'ready';
      const again = await start();
      await append(again, 'later');
      expect(await again.flush(5_000)).toBe(true);
      expect(sink.texts()).toEqual([...names(5), 'later']);
    },
  );

  it('a torn tail at every byte of the last request keeps all before it', async () => {
    sink.state = 'down';
    const log = await start();
    for (const name of names(5)) await append(log, name);
    await log.close();
    const file = (await readdir(dir)).find((name) => name.endsWith('.wal')) ?? '';
    const size = (await readFile(join(dir, file))).byteLength;
    const frame = (size - 32) / 5;
    const intact = dir;
    for (let cut = size - frame; cut < size; cut += 7) {
      dir = intact;
      crash();
      await truncate(join(dir, file), cut);
      sink = new RecordingSink();
      const again = await start();
      expect(await again.flush(5_000)).toBe(true);
      expect(sink.texts()).toEqual(names(4));
      expect(again.health().state).toBe('ok');
      await again.close();
    }
  });
});

describe('resent requests', () => {
  it('are stored once: at once, later, and after a restart', async () => {
    const log = await start();
    const both = await Promise.all([append(log, 'a'), append(log, 'a')]);
    expect(both.map((answer) => answer.duplicate).toSorted()).toEqual([false, true]);
    expect(await append(log, 'a')).toEqual({ duplicate: true });
    await log.flush(5_000);
    await log.close();
    const again = await start();
    expect(await append(again, 'a')).toEqual({ duplicate: true });
    await again.flush(5_000);
    await again.close();
    const third = await start();
    expect(await append(third, 'a')).toEqual({ duplicate: true });
    expect(sink.texts()).toEqual(['a']);
  });

  it('are stored once after a crash, with the first one logged but never answered', async () => {
    sink.state = 'down';
    const log = await start({ segmentBytes: 400 });
    for (const name of names(30)) await append(log, name);
    crash();
    sink.state = 'ready';
    const again = await start();
    for (const name of names(30)) expect(await append(again, name)).toEqual({ duplicate: true });
    await again.flush(5_000);
    expect(sink.texts()).toEqual(names(30));
  });

  it('are stored once also when every earlier segment is gone: numbers of segments are never used again', async () => {
    const log = await start();
    await append(log, 'first');
    await log.flush(5_000);
    await log.close();
    const second = await start();
    await append(second, 'more');
    await second.flush(5_000);
    await second.close();
    for (const name of await readdir(dir)) if (name.endsWith('.wal')) await rm(join(dir, name));
    const third = await start();
    await append(third, 'a');
    crash();
    const last = await start();
    expect(await append(last, 'a')).toEqual({ duplicate: true });
    expect(await append(last, 'first')).toEqual({ duplicate: true });
  });

  it('wait for the first one to be durable, and are stored themselves when it failed', async () => {
    const log = await start({ minFreeDiskPercent: 101 });
    await expect(append(log, 'a')).rejects.toMatchObject({ code: 'overloaded' });
    await log.close();
    const roomy = await start();
    expect(await append(roomy, 'a')).toEqual({ duplicate: false });
  });

  it('count as new after the window', async () => {
    const clock = { ms: Date.now(), now: () => clock.ms };
    const log = await start({ clock });
    await append(log, 'a');
    clock.ms += 599_000;
    expect(await append(log, 'a')).toEqual({ duplicate: true });
    clock.ms += 3_000;
    expect(await append(log, 'a')).toEqual({ duplicate: false });
  });

  it('are stored once, and everything else too, while the clock jumps days forth and back', async () => {
    const clock = { ms: Date.now(), now: () => clock.ms };
    const log = await start({ clock });
    const jumps = [86_400_000, -3 * 86_400_000, 3_600_000, -1, 90 * 86_400_000];
    for (const [n, jump] of jumps.entries()) {
      await append(log, `before ${n}`);
      clock.ms += jump;
      await Promise.all(names(5, `jump ${n} `).map((name) => append(log, name)));
      // A resend of a moment ago, by the clock as it is now.
      expect(await append(log, `jump ${n} 0`)).toEqual({ duplicate: true });
      expect(log.stats().oldestAgeMs).toBeGreaterThanOrEqual(0);
    }
    expect(await log.flush(5_000)).toBe(true);
    const sent = jumps.flatMap((_, n) => [`before ${n}`, ...names(5, `jump ${n} `)]);
    expect(sink.texts().toSorted()).toEqual(sent.toSorted());
    await log.close();
    // The next start has the clock back where it was: nothing is stored again.
    clock.ms = Date.now();
    const again = await start({ clock });
    expect(await again.flush(5_000)).toBe(true);
    expect(sink.texts()).toHaveLength(sent.length);
  });
});

describe('bad data', () => {
  // 33 says "bad data"; 62 says nothing clear and is tried a few times first.
  it.each([33, 62])('is set aside alone (code %i); the requests beside it are stored', async (code) => {
    sink.poisonCode = code;
    const log = await start({ lingerMs: 30 });
    const impatient = setInterval(() => log.wakeStore(), 5);
    const texts = names(21);
    texts.splice(7, 0, POISON.toString());
    await Promise.all(texts.map((text, index) => append(log, text, `h${index}`)));
    expect(await log.flush(5_000)).toBe(true);
    clearInterval(impatient);
    expect(sink.texts().toSorted()).toEqual(names(21).toSorted());
    expect(log.stats().quarantinedRequests).toBe(1);
    expect(log.health().state).toBe('degraded');
    const aside = await readdir(join(dir, 'quarantine'));
    expect(aside).toHaveLength(2);
    const native = aside.find((name) => name.endsWith('.native')) ?? '';
    expect(await readFile(join(dir, 'quarantine', native), 'utf8')).toBe('poison');
  });

  it('a store that refuses everything does not empty the log into the quarantine at once', async () => {
    const log = await start({ lingerMs: 30 });
    sink.before = () => {
      throw Object.assign(new Error('ill'), { engineCode: 33 });
    };
    await Promise.all(names(40).map((name) => append(log, name)));
    const deadline = performance.now() + 10_000;
    while (log.stats().quarantinedRequests < 10 && performance.now() < deadline) await log.flush(20);
    expect(await log.flush(300)).toBe(false);
    expect(log.stats().quarantinedRequests).toBe(10);
  });

  it('a group that the store has no memory for goes in in halves and blocks nothing', async () => {
    sink.before = (_table, parts) => {
      if (parts.length <= 3) return;
      throw Object.assign(new CandelaError('overloaded', 'no memory'), { engineCode: 241 });
    };
    const log = await start({ lingerMs: 30 });
    const impatient = setInterval(() => log.wakeStore(), 5);
    await Promise.all(names(20).map((name) => append(log, name)));
    const done = await log.flush(5_000);
    clearInterval(impatient);
    expect(done).toBe(true);
    expect(sink.texts().toSorted()).toEqual(names(20).toSorted());
    expect(log.stats().quarantinedRequests).toBe(0);
  });

  it.each([false, true])(
    'a crash while a group is being halved doubles nothing (taken whole later: %s)',
    async (later) => {
      const log = await start({ lingerMs: 30 });
      const texts = [...names(8), POISON.toString()];
      let stored = 0;
      sink.after = () => {
        stored += 1;
        return stored === 2 ? new Promise(() => {}) : undefined;
      };
      await Promise.all(texts.map((text, index) => append(log, text, `h${index}`)));
      while (stored < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      crash();
      sink.takesPoison = later;
      sink.after = () => {};
      const again = await start();
      expect(await again.flush(5_000)).toBe(true);
      expect(sink.texts().toSorted()).toEqual(
        [...names(8), ...(later ? [POISON.toString()] : [])].toSorted(),
      );
    },
  );

  it('a group whose rows are stored and whose rollup is not is repeated as it is, whatever the reason', {
    timeout: 30_000,
  }, async () => {
    let failures = 0;
    sink.after = () => {
      if (failures >= 6) return;
      failures += 1;
      sink.restarts += 1;
      const cause = Object.assign(new Error('Memory limit exceeded'), {
        engineCode: failures % 2 ? 241 : 33,
      });
      throw new RollupError('otel_traces', cause);
    };
    const log = await start({ lingerMs: 30 });
    for (const name of names(4)) await append(log, name);
    await log.flush(20_000);
    expect(new Set(sink.tokens).size).toBe(1);
    expect(sink.tokens).toHaveLength(7);
    expect(sink.texts()).toEqual(names(4));
    expect(log.stats().quarantinedRequests).toBe(0);
  });

  it('a request that takes the engine down every time is set aside after five deaths', async () => {
    sink.before = (_table, parts) => {
      if (!parts.some((part) => Buffer.from(part).equals(Buffer.from('killer')))) return;
      sink.restarts += 1;
      throw new CandelaError('store_unavailable', 'gone');
    };
    const log = await start({ lingerMs: 30 });
    await Promise.all([append(log, 'before'), append(log, 'killer')]);
    const done = log.flush(60_000);
    const impatient = setInterval(() => log.wakeStore(), 5);
    expect(await done).toBe(true);
    clearInterval(impatient);
    expect(sink.texts()).toEqual(['before']);
    expect(log.stats().quarantinedRequests).toBe(1);
  });
});

describe('damage', () => {
  it('a damaged segment is set aside, its readable requests are stored, the start goes on', async () => {
    sink.state = 'down';
    const log = await start({ segmentBytes: 600 });
    for (const name of names(40)) await append(log, name);
    await log.close();
    const files = (await readdir(dir)).filter((name) => name.endsWith('.wal')).toSorted();
    expect(files.length).toBeGreaterThan(4);
    const victim = join(dir, files[1] ?? '');
    const bytes = await readFile(victim);
    bytes[32 + 70] = (bytes[32 + 70] ?? 0) ^ 0xff;
    await writeFile(victim, bytes);
    const errors: object[] = [];
    const logger: Logger = { ...silentLogger, error: (fields) => errors.push(fields) };
    sink.state = 'ready';
    const again = await start({ logger });
    expect(await again.flush(5_000)).toBe(true);
    expect(sink.texts()).toHaveLength(39);
    expect(errors).toHaveLength(1);
    expect(again.health().state).toBe('degraded');
    expect((await readdir(dir)).filter((name) => name.endsWith('.quarantine'))).toHaveLength(1);
    await again.close();
    const third = await start();
    expect(third.health().state).toBe('degraded');
  });

  it.each([0, 13, 40, 43])('damage at byte %i of the newest segment does not stop the start', async (at) => {
    sink.state = 'down';
    const log = await start();
    for (const name of names(6)) await append(log, name);
    await log.close();
    const file = join(dir, (await readdir(dir)).find((name) => name.endsWith('.wal')) ?? '');
    const bytes = await readFile(file);
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    await writeFile(file, bytes);
    sink.state = 'ready';
    const again = await start();
    expect(await again.flush(5_000)).toBe(true);
    expect(sink.texts().length).toBeGreaterThanOrEqual(5);
    expect(names(6)).toEqual(expect.arrayContaining(sink.texts()));
    expect(again.stats().quarantinedSegments).toBe(1);
    expect(await append(again, 'after')).toEqual({ duplicate: false });
  });

  it('a segment that somebody deleted is reported and does not hold the others up', async () => {
    sink.state = 'down';
    const log = await start({ segmentBytes: 600 });
    for (const name of names(40)) await append(log, name);
    await log.close();
    const files = (await readdir(dir)).filter((name) => name.endsWith('.wal')).toSorted();
    sink.state = 'ready';
    const again = await start({ maxGroupRows: 5, lingerMs: 200 });
    await rm(join(dir, files[2] ?? ''), { force: true });
    expect(await again.flush(5_000)).toBe(true);
    expect(sink.texts().length).toBeGreaterThan(30);
  });

  /** A log whose newest segment still holds what was stored long ago, one group a request; then the process ends. */
  async function storedOneByOne(count: number): Promise<void> {
    const log = await start();
    for (const name of names(count)) {
      await append(log, name);
      await log.flush(5_000);
    }
    await log.close();
    sink = sink.successor();
  }

  const DAMAGES: Readonly<Record<string, (path: string) => Promise<void>>> = {
    'random bytes at its start': (path) => scribble(path, 0),
    'random bytes in its middle': (path) => scribble(path, 400),
    'rubbish instead': (path) => writeFile(path, 'rubbish\nmore rubbish\n'),
    'nothing in it': (path) => truncate(path, 0),
    'half of it': async (path) => truncate(path, Math.floor((await readFile(path)).byteLength / 2)),
    'no file': (path) => rm(path),
  };
  async function scribble(path: string, at: number): Promise<void> {
    const bytes = await readFile(path);
    createHash('sha512').update(path).digest().copy(bytes, at);
    await writeFile(path, bytes);
  }

  it.each(
    Object.keys(DAMAGES).flatMap((kind) => ['state.log', 'state.copy'].map((file) => [file, kind] as const)),
  )('%s with %s doubles nothing and loses nothing', async (file, kind) => {
    await storedOneByOne(20);
    await DAMAGES[kind]?.(join(dir, file));
    const again = await start();
    await append(again, 'after');
    expect(await again.flush(5_000)).toBe(true);
    expect(sink.texts().toSorted()).toEqual([...names(20), 'after'].toSorted());
  });

  it.each(Object.keys(DAMAGES))('both with %s double the last moments at most', async (kind) => {
    await storedOneByOne(20);
    for (const file of ['state.log', 'state.copy']) await DAMAGES[kind]?.(join(dir, file));
    const errors: string[] = [];
    const again = await start({ logger: { ...silentLogger, error: (_, text) => errors.push(text ?? '') } });
    expect(errors).toEqual([expect.stringMatching(/both copies .* may be stored twice/)]);
    await append(again, 'after');
    expect(await again.flush(5_000)).toBe(true);
    const texts = sink.texts();
    expect(new Set(texts)).toEqual(new Set([...names(20), 'after']));
    // The last request was written when all before it were stored.
    expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual(texts.length > 21 ? ['r19'] : []);
  });

  it('a state that is damaged while requests wait keeps them, and those that were stored stay single', async () => {
    const log = await start();
    for (const name of names(5)) await append(log, name);
    await log.flush(5_000);
    sink.state = 'down';
    for (const name of names(5, 'waiting')) await append(log, name);
    await log.close();
    sink = sink.successor();
    for (const file of ['state.log', 'state.copy']) await scribble(join(dir, file), 0);
    expect(await (await start()).flush(5_000)).toBe(true);
    expect(sink.texts().toSorted()).toEqual([...names(5), ...names(5, 'waiting')].toSorted());
  });
});

describe('bounds', () => {
  it('refuses at the cap with Retry-After, loses nothing, and takes requests again once the store is back', async () => {
    sink.state = 'down';
    const log = await start({ capBytes: 200_000 });
    const body = 'x'.repeat(10_000);
    const taken: string[] = [];
    let refused: unknown;
    for (let n = 0; n < 100 && refused === undefined; n += 1) {
      await append(log, `${n}${body}`).then(
        () => taken.push(`${n}${body}`),
        (error: unknown) => {
          refused = error;
        },
      );
    }
    expect(refused).toMatchObject({ code: 'overloaded', status: 503 });
    expect((refused as CandelaError).retryAfterSeconds).toBeGreaterThan(0);
    expect(taken.length).toBeGreaterThan(10);
    expect(log.stats().logBytes).toBeLessThanOrEqual(200_000);
    sink.state = 'ready';
    expect(await log.flush(10_000)).toBe(true);
    expect(sink.texts()).toEqual(taken);
    expect(await append(log, 'again')).toEqual({ duplicate: false });
  });

  it('refuses for good what would never find room, instead of asking for it again and again', async () => {
    const log = await start({ capBytes: 200_000 });
    const refusal = await append(log, 'x'.repeat(200_001)).catch((thrown: unknown) => thrown);
    expect(refusal).toMatchObject({ code: 'refused', status: 422, retryable: false });
    const roomy = await start({ dir: join(base, 'roomy'), capBytes: 1024 * MIB });
    const bytes = Buffer.alloc(128 * MIB);
    const huge = {
      tenant: 'default',
      requestHash: hashOf('huge'),
      blocks: [{ table: 'otel_traces', rows: 1, bytes }],
    };
    await expect(roomy.append(huge)).rejects.toMatchObject({ code: 'refused' });
    expect(await append(log, 'small')).toEqual({ duplicate: false });
  });

  it('refuses below the kept-back share of free disk', async () => {
    const log = await start({ minFreeDiskPercent: 101 });
    await expect(append(log, 'a')).rejects.toMatchObject({ code: 'overloaded' });
    expect(log.health().reasons).toContain('the disk is nearly full');
  });

  it('a second log on the same directory is a clear error', async () => {
    await start();
    await expect(start()).rejects.toThrow(/in use by another Candela process \(pid \d+\)/);
  });

  it('refuses after close', async () => {
    const log = await start();
    await log.close();
    await expect(append(log, 'a')).rejects.toMatchObject({ code: 'shutting_down' });
  });
});
