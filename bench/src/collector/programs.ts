import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { NODE_BINARY } from '@candela/testkit';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const EXPORTER = 'prometheus-node-exporter';

/** A way of running the agent. */
export interface Program {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly goals: boolean;
}

const TARGETS: Partial<Record<string, string>> = { x64: 'linux-amd64', arm64: 'linux-arm64' };

/** The released binary, built anew into `folder`, and the source; says so when there is no binary. */
export function programs(folder: string): Program[] {
  const source: Program = {
    name: 'from source',
    command: [NODE_BINARY, join(ROOT, 'apps', 'collector', 'src', 'main.ts')],
    goals: false,
  };
  const target = TARGETS[process.arch] ?? process.arch;
  try {
    execFileSync(NODE_BINARY, ['tools/release/src/main.ts', '--target', target, '--out', folder], {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    console.log(
      `SKIPPED: the binary, which could not be built: ${error instanceof Error ? error.message : error}`,
    );
    return [{ ...source, goals: true }];
  }
  return [
    {
      name: 'binary',
      command: [join(folder, `opentelemetry-gpu-collector-${target}`)],
      goals: true,
    },
    source,
  ];
}

/** The other program to compare with; undefined, and said aloud, when it is not installed. */
export function nodeExporter(): string | undefined {
  const found = spawnSync(EXPORTER, ['--version'], { encoding: 'utf8' });
  if (found.error === undefined) return EXPORTER;
  console.log(`SKIPPED: the comparison: ${EXPORTER} is not installed (apt install ${EXPORTER})`);
  return undefined;
}
