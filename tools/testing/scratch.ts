import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'candela-run-';
/** No run takes that long: an older folder was left by one that was killed. */
const ABANDONED_AFTER_MS = 86_400_000;
/** Named as Node does it: programs that ask for a cache by themselves share it. */
const COMPILED = 'node-compile-cache';

/**
 * Vitest's global set-up: a run of tests has a folder of its own for temporary files, and so have the processes that it
 * starts. A run that leaves something there fails and says what. One that is killed leaves this folder alone, which a
 * later run removes.
 */
export default function setup(): () => void {
  removeAbandoned();
  const scratch = mkdtempSync(join(tmpdir(), PREFIX));
  // PostgreSQL refuses to be root, and has to reach its folder in here.
  chmodSync(scratch, 0o711);
  process.env['TMPDIR'] = scratch;
  // The server's modules are compiled once a run, not at each of its many starts.
  process.env['NODE_COMPILE_CACHE'] = join(scratch, COMPILED);
  // What was killed with the run may write for a moment still.
  const remove = () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  // At Ctrl-C there is no teardown.
  process.once('exit', remove);
  return () => {
    const left = readdirSync(scratch).filter((name) => name !== COMPILED);
    remove();
    if (left.length > 0) throw new Error(`The tests left temporary files behind: ${left.join(', ')}`);
  };
}

function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(tmpdir(), name);
    try {
      if (Date.now() - statSync(path).mtimeMs > ABANDONED_AFTER_MS)
        rmSync(path, { recursive: true, force: true });
    } catch {
      // Another run is removing it, or it is somebody else's: it does not keep this one from running.
    }
  }
}
