import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NODE_BINARY } from '@candela/testkit';
import type { Stage } from '../stage.ts';

const DEMO = join(
  dirname(fileURLToPath(import.meta.url)),
  '..',
  '..',
  '..',
  'apps',
  'demo',
  'src',
  'main.ts',
);

/** Sends the demo's data, the same every time; `key`: of an installation with an owner. */
export async function demo(stage: Stage, key?: string, backfill = '20h'): Promise<void> {
  // A slow end: it must not dwarf the hours before it.
  const past = ['--seed', '1', '--backfill', backfill, '--backfill-rate', '0.02'];
  const args = [...past, '--rate', '0.1', '--duration', '3s', ...(key === undefined ? [] : ['--key', key])];
  const child = spawn(NODE_BINARY, [DEMO, '--endpoint', stage.platform.otlpHttp, ...args], {
    stdio: 'inherit',
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`The demo ended with code ${code}.`);
}
