import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Repository, targetOf } from '@candela/backup';
import { silentLogger } from '@candela/kernel';
import { openMetadataStore } from '@candela/metadata-store';
import { NODE_BINARY, type PlatformProcess, startPlatform } from '@candela/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const CLI = join(dirname(fileURLToPath(import.meta.url)), '../../../../cli/src/main.ts');
const run = promisify(execFile);

let root: string;
let platform: PlatformProcess;
const BACKUP = { PLATFORM_BACKUP_PASSPHRASE: 'a passphrase of this test' };

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'candela-backups-'));
  platform = await startPlatform({
    dataDir: join(root, 'data'),
    newStore: true,
    env: {
      ...BACKUP,
      PLATFORM_BACKUP_TARGET: join(root, 'backups'),
      PLATFORM_BACKUP_HOURS: '0',
      PLATFORM_BACKUP_KEEP: '2',
    },
  });
});
afterAll(async () => {
  await platform.stop();
  rmSync(root, { recursive: true, force: true });
});

/** What the command says; its exit code where it is not 0. */
const candela = (args: readonly string[], env?: Record<string, string>) => command(['backup', ...args], env);

async function command(args: readonly string[], env: Record<string, string> = BACKUP): Promise<string> {
  const { stdout } = await run(NODE_BINARY, [CLI, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
  }).catch((thrown: Error & { stdout?: string; stderr?: string }) => {
    throw new Error(`${thrown.stdout ?? ''}${thrown.stderr ?? thrown.message}`);
  });
  return stdout;
}

/** Sends spans. @returns whether they were acknowledged */
async function send(to: PlatformProcess, count: number): Promise<boolean> {
  const startTimeUnixNano = `${Date.now()}000000`;
  const spans = Array.from({ length: count }, () => ({
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    name: 'work',
    startTimeUnixNano,
    endTimeUnixNano: startTimeUnixNano,
  }));
  const { status } = await fetch(`${to.otlpHttp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
  });
  return status === 200;
}

async function countIn(of: PlatformProcess, filter?: object): Promise<number> {
  const response = await fetch(`${of.http}/api/telemetry/aggregate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ from: '-1h', measures: ['count'], filter }),
  });
  const { data } = (await response.json()) as { data: { rows: { values: number[] }[] } };
  return data.rows[0]?.values[0] ?? 0;
}

it('holds what was acknowledged before it, while more comes in; a restored one goes on with it', {
  timeout: 300_000,
}, async () => {
  // As a backup leaves them that is killed in the middle; and what a person keeps there, which is not ours.
  for (const left of [
    'data/.candela-backup-scratch-aB3dE9',
    'data/telemetry/engine/store/shadow/candela_backup_x',
    'data/backup-old',
  ]) {
    mkdirSync(join(root, left, 'part'), { recursive: true });
  }
  const view = await fetch(`${platform.http}/api/telemetry/views`, {
    method: 'POST',
    headers: { origin: platform.http },
    body: JSON.stringify({ page: 'traces', name: 'Slow', description: null, search: '?q=duration%3E2s' }),
  });
  expect(view.status).toBe(201);
  let acknowledged = 0;
  for (let batch = 0; batch < 20; batch += 1) if (await send(platform, 100)) acknowledged += 100;
  const before = acknowledged;
  let sending = true;
  const more = (async () => {
    while (sending) if (await send(platform, 100)) acknowledged += 100;
  })();
  expect(await candela(['create'])).toContain('Backed up');
  sending = false;
  await more;
  expect(acknowledged).toBeGreaterThan(before);
  // The engine froze its parts by links; none is left over.
  expect(readdirSync(join(root, 'data/telemetry/engine/store/shadow'))).toEqual(['increment.txt']);
  expect(readdirSync(join(root, 'data')).filter((name) => name.startsWith('.candela-backup'))).toEqual([]);
  expect(readdirSync(join(root, 'data'))).toContain('backup-old');
  // All that was acknowledged while it was made is stored as well.
  await expect.poll(() => countIn(platform), { timeout: 30_000 }).toBe(acknowledged);
  expect(await candela(['verify', '--target', 'backups'])).toContain('The backup is good');

  await candela(['restore', '--target', 'backups', '--data-dir', 'restored']);
  // With a passphrase the master key is in it, and with it all secrets.
  expect(readFileSync(join(root, 'restored/vault.key'))).toEqual(readFileSync(join(root, 'data/vault.key')));
  const settings = await openMetadataStore({
    dataDir: join(root, 'restored'),
    databaseUrl: undefined,
    logger: silentLogger,
  });
  expect(await settings.jobs.runs('backup', 5)).toMatchObject([{ trigger: 'manual', outcome: null }]);
  await settings.close();
  const restored = await startPlatform({ dataDir: join(root, 'restored') });
  try {
    const count = await countIn(restored);
    expect(count).toBeGreaterThanOrEqual(before);
    expect(count).toBeLessThanOrEqual(acknowledged);
    expect(await send(restored, 100)).toBe(true);
    await expect.poll(() => countIn(restored), { timeout: 30_000 }).toBe(count + 100);
    // While it runs nobody else has its store.
    await expect(
      command(['project', 'export', 'default', '--to', 'given', '--data-dir', 'restored']),
    ).rejects.toThrow(/in use|running/);
    await restored.stop();
    await givesAProject(count + 100);
  } finally {
    await restored.stop();
  }
  // Nothing is written over.
  await expect(candela(['restore', '--target', 'backups', '--data-dir', 'restored'])).rejects.toThrow(
    'is not empty',
  );
});

/** A project of the restored installation goes into an empty one. */
async function givesAProject(count: number): Promise<void> {
  const to = ['--data-dir', 'restored', '--to', 'given'];
  expect(await command(['project', 'export', 'default', ...to])).toContain('Exported default');
  await expect(candela(['restore', '--target', 'given', '--data-dir', 'wrong'])).rejects.toThrow(
    'candela project import takes it',
  );
  const take = () => command(['project', 'import', '--from', 'given', '--data-dir', 'taken']);
  const taken = await take();
  expect(taken).toContain('saved_views: 1 of 1 added\n');
  expect(taken).toContain('Project default: ');
  expect(taken).toContain('Everything is as it was exported.');
  const again = await take();
  expect(again).toContain('saved_views: 0 of 1 added\n');
  expect(again).toMatch(/ 0 days of tables read, [1-9]\d* known already/);
  expect(again).toContain('Everything is as it was exported.');
  const other = await startPlatform({ dataDir: join(root, 'taken') });
  try {
    // By the sums, which came along, and by the spans.
    expect(await countIn(other)).toBe(count);
    expect(await countIn(other, { field: 'attributes.none', op: 'not_exists' })).toBe(count);
    const views = await fetch(`${other.http}/api/telemetry/views?page=traces`);
    expect(await views.text()).toContain('Slow');
  } finally {
    await other.stop();
  }
}

it('stores only what is new, keeps as many as it should, and tells damage', {
  timeout: 300_000,
}, async () => {
  await send(platform, 10);
  for (let round = 0; round < 2; round += 1) await candela(['create']);
  const lines = (await candela(['list', '--target', 'backups'])).trim().split('\n');
  expect(lines).toHaveLength(2);
  const repository = await Repository.open(
    targetOf(join(root, 'backups'), {}),
    BACKUP.PLATFORM_BACKUP_PASSPHRASE,
  );
  const [newest = ''] = await repository.ids();
  const { bytes, newBytes, packs } = await repository.manifest(newest);
  // Parts that did not change since the one before are named and not stored: the settings alone are new.
  const settings = packs.find(({ files }) => files.some(([name]) => name === 'metadata.sqlite'));
  expect(newBytes).toBeLessThan(bytes / 2);
  expect(newBytes).toBeGreaterThanOrEqual(settings?.files[0]?.[1] ?? Infinity);
  cpSync(join(root, 'backups'), join(root, 'damaged'), { recursive: true });
  const files = readdirSync(join(root, 'damaged/chunks'), { recursive: true, withFileTypes: true });
  for (const file of files) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    const bytes = readFileSync(path);
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    writeFileSync(path, bytes);
  }
  await expect(candela(['verify', '--target', 'damaged'])).rejects.toThrow('was changed');
  await expect(candela(['verify', '--target', 'backups'], {})).rejects.toThrow('PLATFORM_BACKUP_PASSPHRASE');
});
