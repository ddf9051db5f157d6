import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startPlatform } from '@candela/testkit';
import type { Bench } from '../lib/bench.ts';
import { type Findings, mebibytes, thousands } from '../lib/table.ts';
import { sleep, withTempDir } from '../lib/temp.ts';

const KEY = `pk_benchmar_${'A'.repeat(43)}`;
const CLI = fileURLToPath(new URL('../../../apps/cli/src/main.ts', import.meta.url));
const POLL_MS = 20;

/** Scanning a large tree by the command line, and how soon a scan of the platform ends when it is cancelled. */
export const scan: Bench = {
  async run(args): Promise<Findings> {
    const { values } = parseArgs({
      args: [...args],
      options: { files: { type: 'string', default: '10000' }, bytes: { type: 'string', default: '10000' } },
    });
    const [files, bytes] = [Number(values.files), Number(values.bytes)];
    return withTempDir(async (folder) => {
      const tree = join(folder, 'tree');
      writeTree(tree, files, bytes);
      const { seconds, peak, read } = await scanFolder(tree, join(folder, 'result.json'));
      const cancelMs = await cancelScan(folder, tree);
      return {
        bench: 'scan',
        command: 'npm run bench -- scan',
        figures: [
          {
            what: `candela scan, ${thousands(files)} files, ${mebibytes(files * bytes)}`,
            value: `${seconds.toFixed(1)} s`,
            against: 'goal 30 s',
          },
          { what: 'memory of the process, most', value: mebibytes(peak), against: 'goal 400 MiB' },
          {
            what: 'a running scan of the platform ends after its cancelling',
            value: `${thousands(cancelMs)} ms`,
            against: 'goal 1,000 ms',
          },
        ],
        notes: [
          `Code in Python and TypeScript with a lock file, all detectors; ${thousands(read)} files were read. The scan that is cancelled is of the same tree as an uploaded archive.`,
        ],
      };
    });
  },
};

const LINES = [
  'import { readFile } from "node:fs/promises";',
  'export async function load(path: string): Promise<string> { return readFile(path, "utf8"); }',
  'def answer(question: str) -> str:',
  '    return client.responses.create(model="gpt-5", input=question).output_text',
  'const total = rows.reduce((sum, row) => sum + row.amount, 0);',
];

function writeTree(root: string, files: number, bytes: number): void {
  for (let at = 0; at < files; at += 1) {
    const path = join(root, `part${at % 100}`, `file${at}.${at % 2 === 0 ? 'ts' : 'py'}`);
    mkdirSync(dirname(path), { recursive: true });
    let text = '';
    for (let line = 0; text.length < bytes; line += 1)
      text += `${LINES[(at + line) % LINES.length]} // ${(at * 7_919 + line * 104_729).toString(36)}\n`;
    writeFileSync(path, text);
  }
  writeFileSync(
    join(root, 'package-lock.json'),
    '{"lockfileVersion":3,"packages":{"node_modules/a":{"version":"1.0.0","license":"MIT"}}}',
  );
}

async function scanFolder(tree: string, result: string) {
  const started = performance.now();
  const child = spawn(process.execPath, [CLI, 'scan', tree, '--json', result], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let peak = 0;
  const poll = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      peak = Math.max(peak, Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1_024);
    } catch {
      // It has ended.
    }
  }, POLL_MS);
  await new Promise((resolve) => child.once('close', resolve));
  clearInterval(poll);
  const seconds = (performance.now() - started) / 1_000;
  const { coverage } = JSON.parse(readFileSync(result, 'utf8')) as { coverage: { filesRead: number } };
  return { seconds, peak, read: coverage.filesRead };
}

async function cancelScan(folder: string, tree: string): Promise<number> {
  const archive = join(folder, 'tree.tar.gz');
  execFileSync('tar', ['-czf', archive, '-C', tree, '.']);
  const platform = await startPlatform({
    dataDir: join(folder, 'data'),
    env: { PLATFORM_BOOTSTRAP_API_KEY: KEY },
  });
  const call = async (method: string, path: string, body?: Uint8Array<ArrayBuffer> | string) => {
    const response = await fetch(`${platform.http}/api/scanners${path}`, {
      method,
      headers: { authorization: `Bearer ${KEY}`, prefer: 'respond-async' },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return JSON.parse(text) as { data: { id: string }; job: { id: string; status: string } };
  };
  const made = await call('POST', '', JSON.stringify({ name: 'bench', target: 'https://github.com/a/b' }));
  const { job } = await call('POST', `/${made.data.id}/upload`, Uint8Array.from(readFileSync(archive)));
  const until = async (wanted: string) => {
    for (;;) {
      const { status } = (await call('GET', `/jobs/${job.id}`)).job;
      if (status === wanted) return;
      if (status !== 'queued' && status !== 'running') throw new Error(`The scan is ${status}.`);
      await sleep(POLL_MS);
    }
  };
  await until('running');
  const started = performance.now();
  await call('POST', `/jobs/${job.id}/cancel`);
  await until('cancelled');
  const took = performance.now() - started;
  await platform.stop();
  return took;
}
