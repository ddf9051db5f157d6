import { spawn } from 'node:child_process';
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

/**
 * Runs the steps, so many at once, prints what each said when it ends and how long it took; returns the failed names. One
 * that has the run to itself speaks as it goes.
 */
export async function runSteps(steps: readonly Step[], atOnce = 1): Promise<string[]> {
  const failed: string[] = [];
  const waiting = [...steps];
  const next = async (): Promise<void> => {
    const step = waiting.shift();
    if (step === undefined) return;
    const started = Date.now();
    if (atOnce === 1) console.log(`\n== ${step.name}`);
    const { code, said } = await runStep(step, atOnce === 1 ? 'inherit' : 'pipe');
    if (said !== '') console.log(`\n${said.trimEnd()}`);
    if (code !== 0) failed.push(step.name);
    console.log(
      `== ${step.name}: ${code === 0 ? 'ok' : 'FAILED'} (${((Date.now() - started) / 1000).toFixed(1)} s)`,
    );
    return next();
  };
  await Promise.all(Array.from({ length: atOnce }, next));
  return failed;
}

function runStep(
  { args, env }: Step,
  output: 'inherit' | 'pipe',
): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [...args], {
    cwd: ROOT,
    stdio: ['inherit', output, output],
    env: { ...process.env, ...env },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve({ code, said }));
  });
}

const bin = (path: string) => join(ROOT, 'node_modules', path);

/** Everything that needs no running program, the longest first; most of them have one thread. */
export const STATIC_STEPS: readonly Step[] = [
  { name: 'types', args: [bin('typescript/bin/tsc'), '-p', 'tsconfig.json'] },
  { name: 'types of the web UI', args: [bin('typescript/bin/tsc'), '-p', 'apps/web/tsconfig.json'] },
  {
    name: 'lint and boundaries',
    args: [
      bin('oxlint/dist/cli.js'),
      '--type-aware',
      '--deny-warnings',
      '--report-unused-disable-directives',
    ],
  },
  { name: 'unused code', args: [bin('knip/bin/knip.js'), '--treat-config-hints-as-errors'] },
  { name: 'generated files', args: ['tools/generate.ts', '--check'] },
  { name: 'format', args: [bin('@biomejs/biome/bin/biome'), 'format', '.'] },
];

/** As many at once as a small machine has cores. */
export const runStaticSteps = (): Promise<string[]> => runSteps(STATIC_STEPS, 2);
