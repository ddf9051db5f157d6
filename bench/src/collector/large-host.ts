import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The captured machine of the agent's tests, which the large one grows from. */
const CAPTURED = join(import.meta.dirname, '../../../apps/collector/src/fixtures/hosts/vm');
export const PROCESSES = 1_000;
export const MOUNTS = 200;

/**
 * Files of a machine with many processes and mounts; returns the environment for an agent on it. The mounts are of a type
 * whose device numbers prove nothing, so that each is asked for its space (of the disk that the files lie on) and sent.
 */
export function largeHost(folder: string): Record<string, string> {
  cpSync(CAPTURED, folder, { recursive: true });
  for (let pid = 1; pid <= PROCESSES; pid += 1) {
    const at = join(folder, 'proc', String(pid));
    mkdirSync(at, { recursive: true });
    const zeros = Array.from({ length: 40 }, () => '0').join(' ');
    writeFileSync(join(at, 'stat'), `${pid} (worker ${pid}) S 1 ${zeros}\n`);
    writeFileSync(join(at, 'cmdline'), `worker\0--number=${pid}\0`);
    writeFileSync(join(at, 'cgroup'), `0::/system.slice/worker-${pid}.service\n`);
  }
  const rows = Array.from({ length: MOUNTS }, (_, index) => {
    mkdirSync(join(folder, 'mnt', String(index)), { recursive: true });
    return `${index + 100} 1 253:${index} / /mnt/${index} rw,relatime - btrfs /dev/mapper/volume-${index} rw`;
  });
  const mountinfo = `1 0 252:0 / / rw,relatime - ext4 /dev/vda rw\n${rows.join('\n')}\n`;
  writeFileSync(join(folder, 'proc', '1', 'mountinfo'), mountinfo);
  return {
    HOST_PROC: join(folder, 'proc'),
    HOST_SYS: join(folder, 'sys'),
    HOST_ETC: join(folder, 'etc'),
    HOST_ROOT: folder,
  };
}
