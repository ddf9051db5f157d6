import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startConnectProxy } from './connect-proxy.ts';

/** The repository cannot be read; the sentence says why and what to do, without the token. */
export class CloneError extends Error {
  override readonly name = 'CloneError';
}

const MAX_CLONE_BYTES = 512 * 1_048_576;
const MAX_STDERR = 8_192;
/** Larger blobs stay away (partial clone); lock files and code are smaller. */
const MAX_BLOB = 1_048_576;
const MAX_FILES = 100_000;
const MAX_TOTAL = 1_073_741_824;
/** A list of files: their names and 60 bytes each. */
const MAX_LIST_BYTES = 32 * 1_048_576;
const TOO_MANY = `The repository has more than ${MAX_FILES} files.`;

export interface CloneRequest {
  readonly target: string;
  readonly ref: string | null;
  readonly token: string | null;
  /** Hosts that may be cloned from: `host` or `host:port`. Those that the operator added may be private. */
  readonly hosts: readonly string[];
  readonly trustedHosts: readonly string[];
  /** PEM file of further authorities. */
  readonly caFile: string | undefined;
  /** What may come over the network; by default 512 MiB. */
  readonly maxBytes?: number;
}

export interface Clone {
  readonly ref: string;
  readonly commit: string;
  /** Every file that is read; the reasons of the others are counted in `skipped`. */
  files(skipped: Map<string, number>): AsyncIterable<{ readonly path: string; readonly content: Uint8Array }>;
  remove(): void;
}

/** Clones a repository without checking it out. @throws CloneError, or the reason of the signal */
export async function cloneRepository(request: CloneRequest, signal: AbortSignal): Promise<Clone> {
  const url = new URL(request.target);
  const port = Number(url.port || 443);
  const place = url.port === '' ? url.hostname : `${url.hostname}:${port}`;
  const trusted = request.trustedHosts.includes(place);
  if (!trusted && !request.hosts.includes(place)) {
    throw new CloneError(
      `Repositories at ${place} are not scanned. Allowed: ${[...request.hosts, ...request.trustedHosts].join(', ')}. More are added with PLATFORM_SCANNER_HOSTS.`,
    );
  }
  const folder = mkdtempSync(join(tmpdir(), 'candela-clone-'));
  const home = join(folder, 'home');
  mkdirSync(home);
  const repository = join(folder, 'repository.git');
  const proxy = await startConnectProxy({
    host: url.hostname,
    port,
    trusted,
    maxBytes: request.maxBytes ?? MAX_CLONE_BYTES,
  });
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    const config: [string, string][] = [
      ['core.hooksPath', '/dev/null'],
      ['core.fsmonitor', 'false'],
      ['transfer.fsckObjects', 'true'],
      ['http.proxy', proxy.url],
      ['http.followRedirects', 'false'],
      ['http.lowSpeedLimit', '1000'],
      ['http.lowSpeedTime', '30'],
      ...(request.caFile === undefined ? [] : [['http.sslCAInfo', request.caFile] as [string, string]]),
      ...(request.token === null
        ? []
        : [
            [
              'http.extraHeader',
              `Authorization: Basic ${Buffer.from(`x-access-token:${request.token}`).toString('base64')}`,
            ] as [string, string],
          ]),
    ];
    const env = environment(home, config, 'https');
    const branch = request.ref === null ? [] : ['--branch', request.ref];
    const args = [
      'clone',
      '--quiet',
      '--bare',
      '--depth',
      '1',
      '--single-branch',
      '--no-tags',
      `--filter=blob:limit=${MAX_BLOB}`,
      ...branch,
      '--',
      request.target,
      repository,
    ];
    const { code, stderr } = await run(args, env, signal);
    if (code !== 0) throw new CloneError(proxy.refused() ?? explain(stderr, request));
    const local = environment(home, [['core.hooksPath', '/dev/null']], 'none');
    const { stdout } = await run(
      ['--git-dir', repository, 'rev-parse', '--abbrev-ref', 'HEAD'],
      local,
      signal,
    );
    const head = await run(['--git-dir', repository, 'rev-parse', 'HEAD'], local, signal);
    return {
      commit: head.stdout.toString('utf8').trim(),
      ref: request.ref ?? stdout.toString('utf8').trim(),
      files: (skipped) => filesOf(repository, local, skipped, signal),
      remove,
    };
  } catch (thrown) {
    remove();
    throw thrown;
  } finally {
    proxy.close();
  }
}

/** Nothing of this process's environment: the token travels in variables, never in arguments. */
function environment(
  home: string,
  config: readonly (readonly [string, string])[],
  protocols: string,
): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: protocols,
    GIT_CONFIG_COUNT: String(config.length),
    ...Object.fromEntries(
      config.flatMap(([key, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, key],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    ),
  };
}

function run(
  args: readonly string[],
  env: Record<string, string>,
  signal: AbortSignal,
): Promise<{ code: number; stdout: Buffer; stderr: string }> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const child = spawn('git', args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const out: Buffer[] = [];
    let stderr = '';
    const kill = () => {
      // git starts helpers: the group goes together.
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        child.kill('SIGKILL');
      }
    };
    signal.addEventListener('abort', kill);
    let held = 0;
    let isTooLong = false;
    child.stdout.on('data', (chunk: Buffer) => {
      held += chunk.length;
      // A few small objects may name billions of files.
      if (held <= MAX_LIST_BYTES) out.push(chunk);
      else if (!isTooLong) {
        isTooLong = true;
        kill();
      }
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < MAX_STDERR) stderr += chunk.toString('utf8');
    });
    child.once('error', (error: NodeJS.ErrnoException) => {
      signal.removeEventListener('abort', kill);
      reject(
        error.code === 'ENOENT'
          ? new CloneError('git is not installed on this machine. Install it to scan repositories.')
          : error,
      );
    });
    child.once('close', (code) => {
      signal.removeEventListener('abort', kill);
      if (signal.aborted) reject(signal.reason instanceof Error ? signal.reason : new Error('ended'));
      else if (isTooLong) reject(new CloneError(TOO_MANY));
      else resolve({ code: code ?? 1, stdout: Buffer.concat(out), stderr });
    });
  });
}

/** A sentence for what git says; nothing of it but known cases reaches a person, and never the token. */
function explain(stderr: string, { ref, token }: CloneRequest): string {
  if (/Remote branch .* not found|couldn't find remote ref/i.test(stderr))
    return `The repository has no branch or tag "${ref}".`;
  if (/Authentication failed|could not read Username|403|401/i.test(stderr)) {
    return token === null
      ? 'The repository is not public. Add an access token to the scanner.'
      : 'The repository refused the access token. It may have expired or lack the right to read.';
  }
  if (/not found|404/i.test(stderr)) return 'There is no such repository, or the token may not see it.';
  if (/fsck|gitmodules|disallowed|hasDotgit|zeroPadded/i.test(stderr))
    return 'The repository holds objects that attack git (repository-hostile); it was not read.';
  if (/redirect/i.test(stderr)) return 'The repository has moved: enter its new address.';
  if (/certificate|SSL/i.test(stderr))
    return 'The certificate of the server is not trusted. Add its authority with PLATFORM_SCANNER_CA_FILE.';
  if (/timed out|too slow|Operation too slow/i.test(stderr))
    return 'The server answers too slowly. Try again later.';
  return 'The repository could not be cloned: its server could not be reached or broke off. Try again later.';
}

interface Entry {
  readonly id: string;
  readonly path: string;
}

async function* filesOf(
  repository: string,
  env: Record<string, string>,
  skipped: Map<string, number>,
  signal: AbortSignal,
) {
  const skip = (reason: string) => skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  const { code, stdout } = await run(['--git-dir', repository, 'ls-tree', '-r', '-z', 'HEAD'], env, signal);
  if (code !== 0) throw new CloneError('The tree of the repository could not be read.');
  const listed = await run(
    ['--git-dir', repository, 'rev-list', '--objects', '--missing=print', 'HEAD'],
    env,
    signal,
  );
  // Asking for a blob that was left away would fetch it, which nothing may here: git ends then.
  const missing = new Set(
    listed.stdout
      .toString('latin1')
      .match(/^\?[0-9a-f]+/gm)
      ?.map((one) => one.slice(1)),
  );
  const entries: Entry[] = [];
  for (let from = 0; from < stdout.length; ) {
    const end = stdout.indexOf(0, from);
    const line = stdout.subarray(from, end < 0 ? stdout.length : end);
    from = end < 0 ? stdout.length : end + 1;
    const tab = line.indexOf(9);
    const [mode = '', kind = '', id = ''] = line.toString('latin1', 0, tab).split(' ');
    const path = new TextDecoder('utf-8').decode(line.subarray(tab + 1));
    if (mode === '120000') skip('links and special files');
    else if (kind !== 'blob') skip('submodules');
    else if (path.includes('\uFFFD')) skip('names that are no UTF-8');
    else if (missing.has(id)) skip('files that are too large');
    else if (Buffer.byteLength(path) > 4_096 || path.split('/').length > 64)
      skip('paths that are too long or deep');
    else entries.push({ id, path });
    if (entries.length > MAX_FILES) throw new CloneError(TOO_MANY);
  }
  const batch = spawn('git', ['--git-dir', repository, 'cat-file', '--batch'], {
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const end = () => void batch.kill('SIGKILL');
  signal.addEventListener('abort', end);
  batch.stdin.on('error', () => undefined);
  try {
    const reader = new BatchReader(batch.stdout);
    let total = 0;
    for (const { id, path } of entries) {
      signal.throwIfAborted();
      batch.stdin.write(`${id}\n`);
      const content = await reader.next(MAX_BLOB);
      if (content === 'missing' || content === 'large') skip('files that are too large');
      else {
        total += content.length;
        if (total > MAX_TOTAL)
          throw new CloneError('The files of the repository are larger than 1 GiB together.');
        yield { path, content };
      }
    }
  } finally {
    signal.removeEventListener('abort', end);
    batch.kill('SIGKILL');
  }
}

/** Reads answers of `git cat-file --batch`: `<id> blob <size>\n<content>\n`. */
class BatchReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  async next(most: number): Promise<Buffer | 'missing' | 'large'> {
    let line = this.#rest.indexOf(10);
    while (line < 0) {
      await this.#more();
      line = this.#rest.indexOf(10);
    }
    const head = this.#rest.toString('latin1', 0, line);
    this.#rest = this.#rest.subarray(line + 1);
    const size = Number(/^[0-9a-f]+ blob (\d+)$/.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(size)) return 'missing';
    const content = await this.#take(size + 1, most);
    return content === undefined ? 'large' : content.subarray(0, size);
  }

  /** `length` bytes, or undefined when they are more than `most`: then they are passed over. */
  async #take(length: number, most: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    let left = length;
    while (left > 0) {
      if (this.#rest.length === 0) await this.#more();
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      if (length <= most + 1) parts.push(part);
    }
    return length <= most + 1 ? Buffer.concat(parts) : undefined;
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#chunks.next();
    if (done === true) throw new CloneError('git ended in the middle of the repository.');
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
  }
}
