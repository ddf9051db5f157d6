import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly disk: string;
  readonly system: string;
  readonly node: string;
}

/** What the figures were measured on. */
export function machine(): Machine {
  const list = cpus();
  const { bsize, blocks } = statfsSync(tmpdir());
  let type = 'unknown file system';
  try {
    type = execFileSync('stat', ['-f', '-c', '%T', tmpdir()], { encoding: 'utf8' }).trim();
  } catch {
    // Not a GNU system: the size alone has to do.
  }
  return {
    cpu: list[0]?.model.trim() ?? 'unknown',
    cores: list.length,
    memoryGib: Math.round(totalmem() / 1024 ** 3),
    disk: `${Math.round((bsize * blocks) / 1024 ** 3)} GiB ${type}`,
    system: process.platform,
    node: process.version,
  };
}
