import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const READY_MS = 60_000;

/** A PostgreSQL server of the test's own, with a password, gone afterwards. */
export interface PostgresProcess {
  readonly host: string;
  readonly port: number;
  /** Makes an empty database and returns its address. */
  createDatabase(options?: { readonly encoding?: 'UTF8' | 'SQL_ASCII' }): Promise<string>;
  /** Runs statements as the superuser; returns what psql prints, unaligned. */
  sql(url: string, statements: string): Promise<string>;
  /** The same server again, on the same port with the same data; `kill` ends it the hard way. */
  down(how: 'fast' | 'kill'): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL from the binaries of this machine (Debian: `postgresql`). Undefined, with a sentence on standard
 * error, where there are none: the tests that need it say that they skip.
 */
export async function startPostgres(): Promise<PostgresProcess | undefined> {
  const bin = binaries();
  if (bin === undefined) {
    process.stderr.write(
      'SKIPPED: no PostgreSQL on this machine (install the package postgresql); its half of the tests does not run.\n',
    );
    return undefined;
  }
  const dir = mkdtempSync(join(tmpdir(), 'candela-pg-'));
  const data = join(dir, 'data');
  const password = randomBytes(12).toString('hex');
  const passwordFile = join(dir, 'password');
  writeFileSync(passwordFile, password);
  mkdirSync(data, { mode: 0o700 });
  const as = unprivileged();
  if (as !== undefined) for (const path of [dir, data, passwordFile]) chownSync(path, as.uid, as.gid);
  const environment = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', PGPASSWORD: password };
  const options = { ...as, cwd: dir, env: environment };
  await run(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'candela', '-A', 'scram-sha-256', '--pwfile', passwordFile, '-E', 'UTF8', '--no-sync'],
    options,
  );
  const port = await freePort();
  const addressOf = (database: string) => `postgres://candela:${password}@127.0.0.1:${port}/${database}`;
  const sql = async (url: string, statements: string) => {
    const { stdout } = await run(
      join(bin, 'psql'),
      ['-X', '-A', '-t', '-q', '-v', 'ON_ERROR_STOP=1', '-c', statements, url],
      options,
    );
    return stdout.trim();
  };
  let child: ReturnType<typeof spawn> | undefined;
  const killWithCaller = () => child?.kill('SIGKILL');
  process.once('exit', killWithCaller);
  const up = async () => {
    let output = '';
    // No fsync: the machine does not crash in a test, and what a kill leaves is in the page cache.
    const flags = [
      '-D',
      data,
      '-p',
      String(port),
      '-h',
      '127.0.0.1',
      '-k',
      dir,
      '-c',
      'fsync=off',
      '-c',
      'shared_buffers=16MB',
    ];
    const server = spawn(join(bin, 'postgres'), flags, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    child = server;
    server.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4_000)));
    const until = Date.now() + READY_MS;
    for (;;) {
      if (
        await sql(addressOf('postgres'), 'select 1').then(
          () => true,
          () => false,
        )
      )
        return;
      if (server.exitCode !== null || Date.now() > until)
        throw new Error(`PostgreSQL did not start:\n${output}`);
      await sleep(50);
    }
  };
  const down = async (how: 'fast' | 'kill') => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    // SIGINT is PostgreSQL's fast shutdown; SIGQUIT leaves without tidying up, and takes its children along.
    child.kill(how === 'kill' ? 'SIGQUIT' : 'SIGINT');
    await ended;
  };
  await up();
  let databases = 0;
  return {
    host: '127.0.0.1',
    port,
    async createDatabase({ encoding = 'UTF8' } = {}) {
      const name = `test_${++databases}`;
      await sql(
        addressOf('postgres'),
        `create database ${name} template template0 encoding '${encoding}' lc_collate 'C' lc_ctype 'C'`,
      );
      return addressOf(name);
    },
    sql,
    down,
    up,
    async stop() {
      process.off('exit', killWithCaller);
      await down('fast');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The folder with `initdb` and `postgres`; Debian keeps them off the path, a folder a version. */
function binaries(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  return folders.find((folder) =>
    ['initdb', 'postgres', 'psql'].every((name) => existsSync(join(folder, name))),
  );
}

/** PostgreSQL refuses to run as root: then it runs as somebody who may nothing. */
function unprivileged(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const row = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((line) => line.startsWith(`${name}:`));
    const [, , uid, gid] = row?.split(':') ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('Root found nobody to run PostgreSQL as: /etc/passwd has neither postgres nor nobody.');
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
