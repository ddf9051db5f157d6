import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'instance-id';

/**
 * Names the process that a data directory belongs to, the same before and after a restart: whatever an earlier process
 * of this name left unfinished has nobody who goes on with it. A new name where the file cannot be read or written.
 */
export function instanceOf(dataDir: string): string {
  const path = join(dataDir, FILE);
  const made = crypto.randomUUID();
  try {
    // Never overwrites one that is there.
    writeFileSync(path, made, { mode: 0o600, flag: 'wx' });
    return made;
  } catch {
    try {
      const kept = readFileSync(path, 'utf8').trim();
      return /^[0-9a-f-]{36}$/.test(kept) ? kept : made;
    } catch {
      return made;
    }
  }
}
