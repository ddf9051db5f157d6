import { fork } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { silentLogger } from '@candela/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTelemetryStore } from '../client/open.ts';
import { isAlive } from '../engine-host/owner.ts';
import { ASKER_HEADER, OWNER_FILE, type Owner, STREAM_HEADER } from '../engine-host/protocol.ts';
import { DirectoryLockedError, type EngineState } from '../engine-host/supervisor.ts';
import { EMBEDDED, eventually, scratchDir, startEngine } from './harness.ts';
import { idTextBlock } from './native-block.ts';

let dir: string;
beforeEach(() => {
  dir = scratchDir();
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Starts a process that opens a store on `dataDir` and reports the engine's pid once ready. */
async function startOwner(dataDir: string) {
  const owner = fork(fileURLToPath(new URL('./owner-process.ts', import.meta.url)), [dataDir], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [enginePid] = await once(owner, 'message');
  return { owner, enginePid: Number(enginePid) };
}

describe('engine host', () => {
  it('runs with an empty environment, its own directory, and a private socket', async () => {
    const engine = await startEngine(dir);
    try {
      const { pid } = engine.supervisor;
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
      const names = environment.map((entry) => entry.split('=')[0] ?? '');
      // Node's channel to its child, and where it keeps what it compiled: there only when the test itself has one.
      const own = names.filter((name) => !name.startsWith('NODE_'));
      expect(own.sort()).toEqual(['TZ', 'UV_THREADPOOL_SIZE']);
      expect(
        names.filter((name) => name.startsWith('NODE_') && !/^NODE_(CHANNEL_\w+|COMPILE_CACHE)$/.test(name)),
      ).toEqual([]);
      expect(statSync(engine.supervisor.socketPath).mode & 0o777).toBe(0o600);
      expect(statSync(join(dir, 'engine')).mode & 0o077).toBe(0);
      expect(statSync(join(dir, 'engine', 'store')).mode & 0o077).toBe(0);
    } finally {
      await engine.stop();
    }
  });

  it('speaks to the plain client: formats, inserts, summary, query id, ping', async () => {
    const engine = await startEngine(dir);
    const { client } = engine;
    try {
      expect(await client.ping()).toEqual({ success: true });
      await client.command({ query: 'CREATE DATABASE d' });
      await client.command({
        query: 'CREATE TABLE d.t (Id UInt64, Text String) ENGINE = MergeTree ORDER BY Id',
      });
      await client.insert({ table: 'd.t', values: [{ Id: 1, Text: `a'\n\n"b` }], format: 'JSONEachRow' });
      await client.insert({
        table: 'd.t',
        values: [[2, 'two']],
        columns: ['Id', 'Text'],
        format: 'JSONCompactEachRow',
      });
      await client.command({ query: `INSERT INTO d.t VALUES (3, 'three')` });
      await client.command({ query: 'INSERT INTO d.t SETTINGS async_insert = 0 FORMAT CSV\n4,"fo\n\nur"\n' });
      const result = await client.query({
        query: 'SELECT * FROM d.t ORDER BY Id',
        format: 'JSON',
        query_id: 'mine',
      });
      expect(result.query_id).toBe('mine');
      expect(await result.json()).toMatchObject({
        rows: 4,
        data: [
          { Id: 1, Text: `a'\n\n"b` },
          { Id: 2, Text: 'two' },
          { Id: 3, Text: 'three' },
          { Id: 4, Text: 'fo\n\nur' },
        ],
      });
      const csv = await client.query({ query: 'SELECT Id FROM d.t ORDER BY Id', format: 'CSVWithNames' });
      expect(await csv.text()).toBe('"Id"\n1\n2\n3\n4\n');
      const { summary } = await client.exec({ query: 'SELECT sum(Id) FROM d.t' });
      expect(summary?.result_rows).toBe('1');
      await expect(
        client.query({ query: 'SELECT 1', clickhouse_settings: { nope: 1 } as never }),
      ).rejects.toMatchObject({ code: '115' });
    } finally {
      await engine.stop();
    }
  });

  it.each([1, 1e12])(
    'keeps parts whose maps have lengths apart from texts, wide from %d bytes on',
    async (wide) => {
      const engine = await startEngine(dir);
      const command = (query: string) => engine.client.command({ query });
      const select = async <T>(query: string) =>
        (await engine.client.query({ query, format: 'JSONEachRow' })).json<T>();
      const insert = (from: number) =>
        command(
          `INSERT INTO d.t SELECT number, map('a', repeat('x', number % 300), 'b', toString(number)), [[toString(number), '']] FROM numbers(${from}, 20000)`,
        );
      const sums = () =>
        select('SELECT count() AS n, sum(cityHash64(M.keys, M.values, Texts)) AS h FROM d.t');
      /** Whether lengths of texts in maps lie apart, a part each. */
      const apart = async () =>
        (
          await select<{ Apart: number }>(
            "SELECT has(substreams, 'M%2Evalues.size') AS Apart FROM system.parts_columns WHERE active AND table = 't' AND column = 'M' ORDER BY name",
          )
        ).map(({ Apart }) => Apart);
      const setting = 'propagate_types_serialization_versions_to_nested_types';
      try {
        await command('CREATE DATABASE d');
        await command(
          `CREATE TABLE d.t (Id UInt64, M Map(LowCardinality(String), String), Texts Array(Array(String))) ENGINE = MergeTree ORDER BY Id
         SETTINGS min_bytes_for_wide_part = ${wide}, ${setting} = 1`,
        );
        await insert(0);
        await command(`ALTER TABLE d.t RESET SETTING ${setting}`);
        await command('SYSTEM STOP MERGES d.t');
        await insert(20_000);
        const before = await sums();
        expect(await apart()).toEqual([1, 0]);
        await command('SYSTEM START MERGES d.t');
        await command("ALTER TABLE d.t ADD COLUMN B String MATERIALIZED M['b']");
        await command('ALTER TABLE d.t MATERIALIZE COLUMN B SETTINGS mutations_sync = 1');
        expect(await sums()).toEqual(before);
        expect(await apart()).toEqual([1, 0]);
        await command('OPTIMIZE TABLE d.t FINAL');
        expect(await sums()).toEqual(before);
        expect(await apart()).toEqual([0]);
        expect(await select('SELECT countIf(B = toString(Id)) AS n FROM d.t')).toEqual([{ n: 40_000 }]);
      } finally {
        await engine.stop();
      }
    },
  );

  it('is started again after SIGKILL, and loses nothing that was acknowledged', async () => {
    const { store, close } = await openIn(dir);
    const states: EngineState[] = [];
    store.on('state', (state) => states.push(state));
    try {
      await store.command(
        'CREATE TABLE items (Id UInt64, Text String) ENGINE = MergeTree ORDER BY Id SETTINGS non_replicated_deduplication_window = 1000',
      );
      for (let round = 1; round <= 3; round += 1) {
        const acknowledged = insertUntilKilled(store, round);
        await sleep(150 + round * 40);
        const { pid } = store.health();
        if (pid !== undefined) process.kill(pid, 'SIGKILL');
        await eventually(
          'restarted',
          () => store.health().state === 'ready' && store.health().restarts === round,
        );
        const ids = await acknowledged;
        const rows = await store.select<{ Id: number; n: number }>(
          'SELECT Id, count() AS n FROM items WHERE intDiv(Id, 100000) = {round:UInt32} GROUP BY Id',
          { round },
        );
        const found = new Map(rows.map((row) => [row.Id, row.n]));
        expect(ids.filter((id) => found.get(id) !== 1)).toEqual([]);
      }
      expect(states).toEqual(expect.arrayContaining(['down', 'starting', 'ready']));
    } finally {
      await close();
    }
  });

  it('stores a repeated insert that was cut off between the token and the part', async () => {
    const block = [idTextBlock([{ id: 7, text: 'x' }])];
    const first = await openIn(dir);
    await first.store.command(
      'CREATE TABLE items (Id UInt64, Text String) ENGINE = MergeTree ORDER BY Id SETTINGS non_replicated_deduplication_window = 1000',
    );
    await first.store.insertNative('items', block, 'kept');
    await first.store.insertNative('items', block, 'cut');
    await first.close();
    // The engine notes the token first and renames the part into place after it: as if killed in between.
    const parts = globSync(join(dir, 'engine/store/store/*/*/all_2_2_0'));
    const part = parts.find((path) => existsSync(join(path, '../deduplication_logs')));
    rmSync(part ?? '', { recursive: true });
    const again = await openIn(dir);
    try {
      await again.store.insertNative('items', block, 'kept');
      await again.store.insertNative('items', block, 'cut');
      await again.store.insertNative('items', block, 'cut');
      expect(await again.store.select('SELECT toUInt32(count()) AS n FROM items')).toEqual([{ n: 2 }]);
    } finally {
      await again.close();
    }
  });

  it('answers store_unavailable while the engine is away', async () => {
    const { store, close } = await openIn(dir);
    try {
      const { pid } = store.health();
      const pending = store.select('SELECT count() AS n FROM numbers(100000000000) WHERE number % 7 = 8');
      const outcome = pending.catch((thrown: unknown) => thrown);
      await sleep(200);
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
      expect(await outcome).toMatchObject({ code: 'store_unavailable', retryable: true });
      await expect(store.select('SELECT 1')).rejects.toMatchObject({ code: 'store_unavailable' });
      await eventually('answers again', async () => {
        try {
          await store.select('SELECT 1');
          return true;
        } catch {
          return false;
        }
      });
    } finally {
      await close();
    }
  });

  it('is killed and started again by the watchdog when it is stopped', async () => {
    const engine = await startEngine(dir, { timing: { probeEveryMs: 200, probeLimitMs: 1_000 } });
    try {
      const stopped = engine.supervisor.pid;
      if (stopped !== undefined) process.kill(stopped, 'SIGSTOP');
      await eventually(
        'replaced',
        () => engine.supervisor.restarts === 1 && engine.supervisor.state === 'ready',
      );
      expect(engine.supervisor.pid).not.toBe(stopped);
      expect(await client1(engine)).toBe('1\n');
    } finally {
      await engine.stop();
    }
  });

  it('waits longer before each restart while it keeps ending', async () => {
    const engine = await startEngine(dir, { timing: { backOffMinMs: 200, backOffMaxMs: 5_000 } });
    const pauses: number[] = [];
    let downAt = 0;
    engine.supervisor.on('state', (state) => {
      if (state === 'down') downAt = performance.now();
      if (state === 'starting') pauses.push(performance.now() - downAt);
    });
    try {
      for (let round = 1; round <= 3; round += 1) {
        const { pid } = engine.supervisor;
        if (pid !== undefined) process.kill(pid, 'SIGKILL');
        await eventually(
          'restarted',
          () => engine.supervisor.restarts === round && engine.supervisor.state === 'ready',
        );
      }
      expect(pauses[0]).toBeGreaterThanOrEqual(190);
      expect(pauses[1]).toBeGreaterThanOrEqual(390);
      expect(pauses[2]).toBeGreaterThanOrEqual(790);
    } finally {
      await engine.stop();
    }
  });

  it('tries again when the machine has no room for another process', async () => {
    let starts = 0;
    // More than a process may be given at its start: what the system then says comes at once and not as an event.
    const memoryBytes = { toJSON: () => (++starts === 2 ? '9'.repeat(200_000) : 1 << 30) };
    const engine = await startEngine(dir, { caps: { memoryBytes: memoryBytes as unknown as number } });
    try {
      process.kill(engine.supervisor.pid ?? 0, 'SIGKILL');
      await eventually('restarted', () => engine.supervisor.state === 'ready' && starts === 3);
      expect(engine.supervisor.restarts).toBe(2);
      expect(await engine.client.ping()).toEqual({ success: true });
    } finally {
      await engine.stop();
    }
  });

  it('streams a long result to a reader that is slower, with nothing left over of the waiting', async () => {
    const lines: unknown[] = [];
    const warn = (...said: unknown[]) => void lines.push(said);
    const engine = await startEngine(dir, { logger: { ...silentLogger, warn } });
    try {
      const answer = await new Promise<IncomingMessage>((done, failed) => {
        const { socketPath } = engine.supervisor;
        request({ socketPath, method: 'POST', path: '/', headers: { [STREAM_HEADER]: '1' } }, done)
          .once('error', failed)
          .end(
            "SELECT number, repeat('x', 100) AS Text FROM numbers(300000) SETTINGS max_block_size = 1000 FORMAT JSONEachRow",
          );
      });
      let bytes = 0;
      for await (const chunk of answer) bytes += (chunk as Buffer).length;
      expect(bytes).toBeGreaterThan(30_000_000);
      await engine.client.ping();
      expect(lines).toEqual([]);
    } finally {
      await engine.stop();
    }
  });

  it('ends itself when a statement does not end within its bound', async () => {
    const engine = await startEngine(dir, { stuckGraceSeconds: 0.3 });
    try {
      // The engine looks at its clock between blocks only, so one long block outlives the bound.
      const stuck = engine.client
        .query({ query: 'SELECT sleep(3)', clickhouse_settings: { max_execution_time: 0.3 } })
        .catch((thrown: unknown) => thrown);
      expect(await stuck).toBeInstanceOf(Error);
      await eventually(
        'restarted',
        () => engine.supervisor.restarts === 1 && engine.supervisor.state === 'ready',
      );
    } finally {
      await engine.stop();
    }
  });

  it.each(['select', 'stream'] as const)('ends a %s when its client leaves', async (how) => {
    const { store, close } = await openIn(dir);
    try {
      const running = async (): Promise<number> =>
        (
          await store.select<{ n: number }>(
            "SELECT count() AS n FROM system.processes WHERE query LIKE '%numbers(900000000000)%' AND query NOT LIKE '%processes%'",
          )
        )[0]?.n ?? -1;
      const heavy = 'SELECT count() AS n FROM numbers(900000000000) WHERE number % 7 = 8';
      const leave = new AbortController();
      const read = async (): Promise<void> => {
        if (how === 'select') await store.select(heavy, {}, { signal: leave.signal });
        else for await (const _row of store.stream(heavy, {}, { signal: leave.signal })) continue;
      };
      const outcome = read().catch((thrown: unknown) => thrown);
      if (how === 'select') await eventually('it runs', async () => (await running()) === 1);
      else await sleep(300);
      leave.abort(new Error('left'));
      expect(await outcome).toMatchObject({ message: 'left' });
      await eventually('the engine ended it', async () => (await running()) === 0, 5_000);
      expect(store.health().restarts).toBe(0);
    } finally {
      await close();
    }
  });

  it.each([
    ['was left', 'SELECT count() AS n FROM numbers(900000000000) WHERE number % 7 = 8', 'select'],
    [
      'was left while it streamed',
      'SELECT number AS n FROM numbers(900000000000) WHERE number % 7 = 8',
      'stream',
    ],
    ['failed', 'SELECT sum(throwIf(number = 4000000000)) AS n FROM numbers(900000000000)', 'select'],
  ] as const)('keeps nobody of a lower priority waiting for one that %s', async (end, sql, how) => {
    const { store, close } = await openIn(dir);
    try {
      const leave = new AbortController();
      const options = { signal: leave.signal, priority: 1, timeoutMs: 60_000 };
      const read = async (): Promise<void> => {
        if (how === 'select') await store.select(sql, {}, options);
        else for await (const _row of store.stream(sql, {}, options)) continue;
      };
      const first = read().catch((thrown: unknown) => thrown);
      await sleep(300);
      // It reads until it finds out that it has to wait.
      const second = store.select<{ n: number }>(
        'SELECT count() AS n FROM numbers(50000000) WHERE number % 7 = 1',
        {},
        {
          priority: 2,
          timeoutMs: 8_000,
        },
      );
      await sleep(300);
      if (end !== 'failed') leave.abort(new Error('left'));
      expect(await first).toBeInstanceOf(Error);
      expect(await second).toEqual([{ n: 7142857 }]);
    } finally {
      await close();
    }
  });

  it('takes inserts while every place for queries is taken, and refuses queries beyond the queue', async () => {
    const engine = await startEngine(dir, { caps: { concurrentQueries: 2 } });
    const { client } = engine;
    try {
      await client.command({ query: 'CREATE DATABASE d' });
      await client.command({ query: 'CREATE TABLE d.t (Id UInt64) ENGINE = MergeTree ORDER BY Id' });
      // Of two who ask: one alone gets half of the places.
      const ask = (seconds: number, at: number) =>
        client
          .command({
            query: `SELECT sleep(${seconds})`,
            http_headers: { [ASKER_HEADER]: at % 2 === 0 ? 'a' : 'b' },
          })
          .then(() => 'done')
          .catch((error: unknown) => (error instanceof Error && 'code' in error ? error.code : 'other'));
      const slow = [ask(3, 0), ask(3, 1)];
      await sleep(100);
      // Thirty-two wait for each place.
      slow.push(...Array.from({ length: 65 }, (_, at) => ask(0, at)));
      const started = performance.now();
      await sleep(100);
      await client.insert({ table: 'd.t', values: [{ Id: 1 }], format: 'JSONEachRow' });
      const insertMs = performance.now() - started;
      const outcomes = await Promise.all(slow);
      expect(outcomes.filter((outcome) => outcome === '202')).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(66);
      expect(insertMs).toBeLessThan(performance.now() - started);
      expect(insertMs).toBeLessThan(5_000);
    } finally {
      await engine.stop();
    }
  });

  it('refuses a second process on the same directory, naming both', async () => {
    const { owner, enginePid } = await startOwner(dir);
    try {
      const started = performance.now();
      const error = await openTelemetryStore({ kind: 'embedded', dataDir: dir, logger: silentLogger }).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(DirectoryLockedError);
      expect(String(error)).toContain(dir);
      expect(String(error)).toContain(String(owner.pid));
      // At once: for a directory whose owner is dying it waits eight seconds.
      expect(performance.now() - started).toBeLessThan(7_500);
      expect(isAlive(enginePid)).toBe(true);
    } finally {
      owner.kill('SIGKILL');
      await eventually('engine gone', () => !isAlive(enginePid));
    }
  });

  it('dies with its parent, so that a new one can start at once', async () => {
    const { owner, enginePid } = await startOwner(dir);
    const started = performance.now();
    owner.kill('SIGKILL');
    const { store, close } = await openIn(dir);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(isAlive(enginePid)).toBe(false);
    expect(await store.select('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await close();
  });

  it('removes the socket of one that was killed, also where the path is too long for one', async () => {
    const deep = join(dir, 'd'.repeat(100));
    const { owner, enginePid } = await startOwner(deep);
    const left =
      (JSON.parse(readFileSync(join(deep, 'engine', OWNER_FILE), 'utf8')) as Owner).socketPath ?? '';
    owner.kill('SIGKILL');
    await eventually('engine gone', () => !isAlive(enginePid));
    expect(left).not.toContain(deep);
    expect(existsSync(left)).toBe(true);
    const { close } = await openIn(deep);
    expect(existsSync(left)).toBe(false);
    await close();
  });

  it('starts without a damaged part, and says that its rows are missing', async () => {
    const first = await openIn(dir);
    await first.store.command('CREATE TABLE items (Id UInt64) ENGINE = MergeTree ORDER BY Id');
    for (const id of [1, 2]) await first.store.command('INSERT INTO items SELECT {id:UInt64}', { id });
    const [part] = await first.store.select<{ Path: string }>(
      "SELECT path AS Path FROM system.parts WHERE table = 'items' ORDER BY name LIMIT 1",
    );
    await first.close();
    truncateSync(resolve(dir, 'engine/store', part?.Path ?? '', 'data.bin'), 3);
    const said: [unknown, unknown][] = [];
    const error = (...line: [unknown, unknown]) => void said.push(line);
    const logger = { ...silentLogger, error } as typeof silentLogger;
    const store = await openTelemetryStore({ kind: 'embedded', dataDir: dir, logger });
    try {
      expect(await store.select('SELECT Id FROM items')).toEqual([{ Id: 2 }]);
      expect(store.health()).toMatchObject({ state: 'ready', damagedParts: 1 });
      const folder = expect.stringContaining('detached');
      const about = { table: 'items', parts: 1, bytes: expect.any(Number), folder };
      expect(said).toEqual([[about, 'the engine set damaged parts aside; their rows are missing']]);
    } finally {
      await store.close();
    }
  });

  it('says what is wrong when the store cannot be opened', async () => {
    mkdirSync(join(dir, 'engine'), { recursive: true });
    writeFileSync(join(dir, 'engine', 'store'), 'not a directory');
    await expect(
      openTelemetryStore({ kind: 'embedded', dataDir: dir, logger: silentLogger }),
    ).rejects.toThrow(/engine did not start/);
  });

  it('keeps within its footprint when idle', async () => {
    const { store, close } = await EMBEDDED.open();
    try {
      await store.select('SELECT count() FROM otel_traces');
      const status = readFileSync(`/proc/${store.health().pid}/status`, 'utf8');
      const rssMb = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
      expect(rssMb).toBeLessThan(380);
    } finally {
      await close();
    }
  });
});

async function openIn(dataDir: string) {
  const store = await openTelemetryStore({
    kind: 'embedded',
    dataDir,
    logger: silentLogger,
    timing: { backOffMinMs: 50 },
  });
  return { store, close: () => store.close() };
}

async function client1(engine: Awaited<ReturnType<typeof startEngine>>): Promise<string> {
  return (await engine.client.query({ query: 'SELECT 1', format: 'TabSeparated' })).text();
}

/** Inserts one row at a time, each repeated with its token until acknowledged, until the engine was killed once. */
async function insertUntilKilled(
  store: Awaited<ReturnType<typeof openTelemetryStore>>,
  round: number,
): Promise<number[]> {
  const acknowledged: number[] = [];
  let failures = 0;
  for (let n = 0; n < 400; n += 1) {
    const id = round * 100_000 + n;
    for (;;) {
      try {
        await store.insertNative('items', [idTextBlock([{ id, text: 'x' }])], `r${round}-${n}`);
        acknowledged.push(id);
        break;
      } catch {
        failures += 1;
        await sleep(50);
      }
    }
    if (failures > 0 && acknowledged.length % 10 === 0) break;
  }
  return acknowledged;
}
