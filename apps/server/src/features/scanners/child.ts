import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Finding, ScanResult } from '@candela/scanners';
import type { ChildOrder } from './child-main.ts';
import { END_FRAME, frameOf } from './frames.ts';

const MAIN = fileURLToPath(new URL('./child-main.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
/** Its own program, and nothing else: the data directory, with its keys, may lie below the root too. */
const READABLE = [
  'package.json',
  'node_modules/*',
  'packages/*',
  'apps/server/package.json',
  'apps/server/src/features/scanners/*',
].map((path) => `${ROOT}${path}`);
/** Installed as a package, what it needs lies beside it. */
const BESIDE = dirname(ROOT);
if (basename(BESIDE) === 'node_modules') READABLE.push(`${BESIDE}/*`);
const MAX_ANSWER = 64 * 1_048_576;

/** How the detectors are shut in: Node's permissions without files to write, network, processes or an environment. */
export const SANDBOX = 'node-permission';

/** The detectors could not be done; the sentence is for people. */
export class DetectorsEnded extends Error {
  override readonly name = 'DetectorsEnded';
}

export interface ChildResult {
  readonly findings: readonly Finding[];
  readonly components: ScanResult['components'];
  readonly coverage: {
    readonly filesSeen: number;
    readonly filesRead: number;
    readonly skipped: Readonly<Record<string, number>>;
    readonly notes: readonly string[];
  };
  readonly detectors: readonly string[];
  readonly vulnerabilityData: ScanResult['vulnerabilityData'];
}

/** Runs the detectors in a process of their own. @throws with a sentence, or the reason of the signal */
export async function runDetectors(
  order: ChildOrder,
  files: AsyncIterable<{ readonly path: string; readonly content: Uint8Array }>,
  signal: AbortSignal,
): Promise<ChildResult> {
  signal.throwIfAborted();
  const child = spawn(
    process.execPath,
    [
      '--permission',
      ...[...READABLE, ...order.osvFolders.map((folder) => `${folder}/*`), ...order.osvFolders].map(
        (path) => `--allow-fs-read=${path}`,
      ),
      '--max-old-space-size=512',
      '--no-warnings',
      MAIN,
    ],
    { env: {}, cwd: ROOT, stdio: ['pipe', 'pipe', 'ignore'] },
  );
  const kill = () => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill);
  const out: Buffer[] = [];
  let size = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_ANSWER) out.push(chunk);
    else kill();
  });
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  let ended = false;
  void closed.then(
    () => (ended = true),
    () => (ended = true),
  );
  child.stdin.on('error', () => undefined);
  try {
    child.stdin.write(frameOf('order', Buffer.from(JSON.stringify(order))));
    for await (const { path, content } of files) {
      if (ended) break;
      if (!child.stdin.write(frameOf(path, content)))
        await Promise.race([once(child.stdin, 'drain', { signal }), closed]);
    }
    child.stdin.end(END_FRAME);
    const code = await closed;
    signal.throwIfAborted();
    if (code !== 0)
      throw new DetectorsEnded(
        'The detectors ended early: the repository needs more memory than a scan has.',
      );
    const answer = JSON.parse(Buffer.concat(out).toString('utf8')) as ChildResult & {
      readonly error?: string;
    };
    if (answer.error !== undefined) throw new DetectorsEnded(answer.error);
    return answer;
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
  }
}
