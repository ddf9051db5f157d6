import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OWNER_FILE, type Owner } from './protocol.ts';

/** Who wrote that it has the engine directory open; undefined when nobody did, or illegibly. */
export function readOwner(engineDir: string): Owner | undefined {
  try {
    const parsed: unknown = JSON.parse(readFileSync(join(engineDir, OWNER_FILE), 'utf8'));
    return isOwner(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function isOwner(value: unknown): value is Owner {
  return (
    typeof value === 'object' &&
    value !== null &&
    'parentPid' in value &&
    typeof value.parentPid === 'number' &&
    'hostPid' in value &&
    typeof value.hostPid === 'number' &&
    (!('socketPath' in value) || typeof value.socketPath === 'string')
  );
}

/** True while a process with this id runs; one that only waits to be reaped does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    // No /proc on this system: what kill said must do.
    return true;
  }
}
