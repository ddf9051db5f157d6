import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

/** A named step of a run: a program of the repository with its arguments, run by the pinned Node. */
export interface Step {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: Record<string, string>;
}

/** Runs the steps one after another, prints what failed and how long each took; returns the failed names. */
export function runSteps(steps: readonly Step[]): string[] {
  const failed: string[] = [];
  for (const step of steps) {
    const started = Date.now();
    console.log(`\n== ${step.name}`);
    const result = spawnSync(process.execPath, [...step.args], {
      cwd: ROOT,
      stdio: 'inherit',
      env: { ...process.env, ...step.env },
    });
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    if (result.status === 0) console.log(`== ${step.name}: ok (${seconds} s)`);
    else {
      console.log(`== ${step.name}: FAILED (${seconds} s)`);
      failed.push(step.name);
    }
  }
  return failed;
}

const bin = (path: string) => join(ROOT, 'node_modules', path);

/** Everything that needs no running program: a minute at most. */
export const STATIC_STEPS: readonly Step[] = [
  { name: 'format', args: [bin('@biomejs/biome/bin/biome'), 'format', '.'] },
  {
    name: 'lint and boundaries',
    args: [
      bin('oxlint/dist/cli.js'),
      '--type-aware',
      '--deny-warnings',
      '--report-unused-disable-directives',
    ],
  },
  { name: 'types', args: [bin('typescript/bin/tsc'), '-p', 'tsconfig.json'] },
  { name: 'types of the web UI', args: [bin('typescript/bin/tsc'), '-p', 'apps/web/tsconfig.json'] },
  { name: 'unused code', args: [bin('knip/bin/knip.js'), '--treat-config-hints-as-errors'] },
  { name: 'generated files', args: ['tools/generate.ts', '--check'] },
];
