import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { silentLogger } from '@candela/kernel';
import { openMetadataStore } from '@candela/metadata-store';
import { exportMetadata } from '@candela/metadata-store/copy';
import { lockDirectory } from '@candela/telemetry-store';
import { NODE_BINARY, startPostgres } from '@candela/testkit';
import { afterAll, describe, expect, it } from 'vitest';

const server = await startPostgres();
const dirs: string[] = [];
const newDir = () => {
  const dir = mkdtempSync(join(tmpdir(), 'candela-cli-'));
  dirs.push(dir);
  return dir;
};
afterAll(async () => {
  await server?.stop();
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
});

const MAIN = join(import.meta.dirname, 'main.ts');
function candela(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(NODE_BINARY, [MAIN, ...args], {
    encoding: 'utf8',
    cwd: newDir(),
    env: { PATH: process.env['PATH'] ?? '', ...env },
    timeout: 100_000,
  });
  return { status, stdout, stderr };
}
const MOVE = ['migrate', 'metadata', '--from', 'sqlite', '--to', 'postgres'];
const VIEWS = 450;

/** A data directory with something in it. */
async function installation(): Promise<string> {
  const dir = newDir();
  const store = await openMetadataStore({ dataDir: dir, logger: silentLogger });
  await store.change(undefined, async ({ views, audit, vaultSecrets }) => {
    await vaultSecrets.create(
      { projectId: 'default', databaseConfigId: 'embedded' },
      { id: 's', key: 'S', tags: ['a'], grants: null, bytes: 1, sealed: `sealed ${'x'.repeat(200_000)}` },
      null,
    );
    for (let n = 0; n < VIEWS; n++) {
      const name = n === 0 ? 'über 😀 "quoted" \\ %_ \n' : `view ${n}`;
      await views.create('default', { page: 'traces', name, description: null, search: '?q=x' });
    }
    await audit.append({
      organisationId: 'default',
      projectId: null,
      actorKind: 'system',
      actorId: null,
      actorName: null,
      action: 'view.create',
      objectKind: 'view',
      objectId: 'v',
      details: { name: 'Slow', tags: ['a'] },
      address: null,
      userAgent: null,
      requestId: 'r',
    });
  });
  await store.close();
  const file = new DatabaseSync(join(dir, 'metadata.sqlite'));
  file.exec("update organisations set name = 'Renamed'");
  file.close();
  return dir;
}

/** Every row of every table, as text that both databases give alike. */
function rowsOf(dir: string): Record<string, unknown[]> {
  const file = new DatabaseSync(join(dir, 'metadata.sqlite'));
  const names = file
    .prepare(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name <> 'schema_migrations'",
    )
    .all()
    .map(({ name }) => String(name));
  const tables = Object.fromEntries(
    names.map((name) => [name, sorted(file.prepare(`select * from ${name}`).all())]),
  );
  file.close();
  return tables;
}
const sorted = (rows: readonly object[]): string[] =>
  rows.map((row) => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))).sort();

describe.skipIf(server === undefined)('candela migrate metadata', () => {
  it('moves an installation row by row, which then opens on PostgreSQL', async () => {
    const dir = await installation();
    const url = (await server?.createDatabase()) ?? '';
    const before = rowsOf(dir);
    const done = candela([...MOVE, '--data-dir', dir], { PLATFORM_DATABASE_URL: url });
    expect([done.stderr, done.status]).toEqual(['', 0]);
    expect(done.stdout).toMatch(new RegExp(`saved_views +${VIEWS}\n`));
    expect(done.stdout).toMatch(/PLATFORM_DATABASE_URL/);
    expect(done.stdout).not.toContain(new URL(url).password);
    for (const [table, rows] of Object.entries(before)) {
      const json = await server?.sql(url, `select coalesce(json_agg(t), '[]') from ${table} t`);
      expect(sorted(JSON.parse(json ?? '') as object[]), table).toEqual(rows);
    }
    expect(rowsOf(dir)).toEqual(before);
    expect(before['organisations']?.join()).toContain('Renamed');
    const store = await openMetadataStore({ dataDir: '/nowhere', databaseUrl: url, logger: silentLogger });
    const page = await store.views.list('default', { page: 'traces', limit: 500, after: undefined });
    expect(page.views).toHaveLength(VIEWS);
    await expect(server?.sql(url, 'delete from audit_log')).rejects.toThrow(/append only/);
    await store.close();
    // What a backup holds of it is the file again.
    const back = newDir();
    const file = join(back, 'metadata.sqlite');
    await exportMetadata({ dataDir: '/nowhere', databaseUrl: url, file, logger: silentLogger });
    expect(rowsOf(back)).toEqual(before);
  });

  it('refuses a database that has something in it, and leaves it as it is', async () => {
    const dir = await installation();
    const url = (await server?.createDatabase()) ?? '';
    const env = { PLATFORM_DATABASE_URL: url, PLATFORM_DATA_DIR: dir };
    await server?.sql(url, 'create table somebodys (id text)');
    const refused = candela(MOVE, env);
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringMatching(/not empty.*somebodys/)]);
    await server?.sql(url, 'drop table somebodys');
    expect(candela(MOVE, env).status).toBe(0);
    const again = candela(MOVE, env);
    expect([again.status, again.stderr]).toEqual([1, expect.stringMatching(/not empty/)]);
  });

  it('keeps nothing of a move that fails on the way', async () => {
    const dir = await installation();
    const file = new DatabaseSync(join(dir, 'metadata.sqlite'));
    file.prepare("update saved_views set search = ? where name = 'view 400'").run('a\0b');
    file.close();
    const url = (await server?.createDatabase()) ?? '';
    const failed = candela([...MOVE, '--data-dir', dir, '--database-url', url]);
    expect([failed.status, failed.stderr]).toEqual([1, expect.stringMatching(/saved_views holds a NUL/)]);
    const tables = await server?.sql(
      url,
      "select string_agg(table_name, ',') from information_schema.tables where table_schema = 'public'",
    );
    expect(tables).toBe('change_clock');
  });

  it('does not move what a running platform still changes', async () => {
    const dir = await installation();
    mkdirSync(join(dir, 'ingest-log'));
    const lock = lockDirectory(join(dir, 'ingest-log'));
    const url = (await server?.createDatabase()) ?? '';
    const refused = candela([...MOVE, '--data-dir', dir, '--database-url', url]);
    lock.release();
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringMatching(/in use by another/)]);
    expect(candela([...MOVE, '--data-dir', dir, '--database-url', url]).status).toBe(0);
  });
});

describe('candela', () => {
  it('says what follows the first word of a command, and that alone', () => {
    const { status, stderr } = candela(['backup']);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^There is no command "backup"\.[^]* {2}backup restore /);
    expect(stderr).not.toContain('scan');
    expect(candela(['coding', '--help']).stdout).toMatch(/coding install/);
  });

  it.each([
    ['scan', '.', '--sarif', '/nowhere/x.sarif'],
    ['scan', '.', '--osv', '/nowhere'],
    ['import', '/nowhere/x.jsonl', '--dry-run'],
    ['erase', 'user', 'ada'],
    ['eval', 'run', '--dataset', 'd', '--template', 't', '--model', 'm', '--evaluators', 'e'],
  ])('that could not be done is no finding: %s', (...args) => {
    const target = { PLATFORM_URL: 'http://127.0.0.1:1', PLATFORM_API_KEY: 'pk_x' };
    const { status, stderr } = candela(args, target);
    expect([status, stderr]).toEqual([2, expect.not.stringMatching(/ {4}at /)]);
  });

  it('lets no file move a terminal by what is said of it', () => {
    const file = join(newDir(), 'evil.json');
    writeFileSync(file, '\u001b[2J\u001b]0;x\u0007');
    const { status, stderr } = candela(['import', file, '--dry-run', '--format', 'langfuse']);
    expect(status).toBe(2);
    expect(stderr).toMatch(/evil\.json is neither JSON nor JSON Lines/);
    expect(stderr).not.toContain('\u001b');
    expect(stderr).not.toContain('\u0007');
  });

  it('says what it can do', () => {
    for (const args of [[], ['--help']]) {
      const help = candela(args);
      expect([help.status, help.stdout]).toEqual([
        0,
        expect.stringMatching(/migrate metadata[^]*vault rotate/),
      ]);
    }
    const help = candela(['migrate', 'metadata', '--help']);
    expect([help.status, help.stdout]).toEqual([0, expect.stringContaining('--data-dir')]);
  });

  it.each([
    [['nothing'], /no command "nothing"/],
    [['migrate', 'metadata'], /--from sqlite --to postgres/],
    [[...MOVE, '--nope'], /nope/],
    [['migrate', 'metadata', '--from', 'postgres', '--to', 'sqlite'], /nothing else/],
    [MOVE, /Name the target/],
    [[...MOVE, '--database-url', 'mysql://x'], /Name the target/],
  ])('%j is not understood', (args, message) => {
    const { status, stderr } = candela(args);
    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  it('says in a sentence that there is nothing to move', () => {
    const { status, stderr } = candela([...MOVE, '--database-url', 'postgres://u:hidden@127.0.0.1:1/x']);
    expect(status).toBe(1);
    expect(stderr).toMatch(/There is no .*metadata\.sqlite/);
    expect(stderr).not.toMatch(/ {4}at |hidden/);
  });
});
