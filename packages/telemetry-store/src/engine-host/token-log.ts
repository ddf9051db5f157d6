import { appendFileSync, readdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

/** The engine inserts only a few at once; older lines belong to inserts that ended. */
const LAST_LINES = 64;
/** `<partition>_<first block>_<last block>_<level>`, with a mutation's number after it or not. */
const PART = /^([^_]+)_(\d+)_(\d+)_\d+(?:_\d+)?$/;

/**
 * The engine writes down a token as used, and only then renames the new part into place. Killed in between, it would
 * drop the repeated insert as known although its rows are nowhere. So before it opens: tokens among the last of each
 * table whose part is not there are taken back, and a torn last line, which would hide all that follow it, is cut.
 * `storeDir` must be open in no engine. Returns how many tokens were taken back.
 */
export function forgetUnusedTokens(storeDir: string): number {
  let forgotten = 0;
  for (const group of list(join(storeDir, 'store'))) {
    for (const table of list(join(storeDir, 'store', group))) {
      forgotten += repairTable(join(storeDir, 'store', group, table));
    }
  }
  return forgotten;
}

function repairTable(tableDir: string): number {
  const logDir = join(tableDir, 'deduplication_logs');
  const numbers = list(logDir)
    .map((name) => Number(/^deduplication_log_(\d+)\.txt$/.exec(name)?.[1] ?? 0))
    .filter((number) => number > 0)
    .sort((a, b) => a - b);
  const paths = numbers.slice(-2).map((number) => join(logDir, `deduplication_log_${number}.txt`));
  const path = paths.at(-1);
  if (path === undefined) return 0;
  // A new file begins right after a token was written: then the last ones are in the file before.
  const lines = paths.flatMap(wholeLines).slice(-LAST_LINES);
  const open = new Map<string, string>();
  for (const line of lines) {
    const [operation, part, token] = line.split('\t');
    if (part === undefined || token === undefined) continue;
    if (operation === '1') open.set(token, part);
    else open.delete(token);
  }
  const parts = list(tableDir);
  const lost = [...open].filter(([, part]) => !parts.some((there) => covers(there, part)));
  if (lost.length > 0) {
    appendFileSync(path, lost.map(([token, part]) => `2\t${part}\t${token}\n`).join(''), { flush: true });
  }
  return lost.length;
}

/** The lines of a file; a torn last one is cut off the file. */
function wholeLines(path: string): string[] {
  const bytes = readFileSync(path);
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end < bytes.byteLength) truncateSync(path, end);
  return bytes.toString('utf8', 0, end).split('\n');
}

/** True when the part `there` is `part` or was merged from it. */
function covers(there: string, part: string): boolean {
  const [, partition, first, last] = PART.exec(there) ?? [];
  const wanted = PART.exec(part);
  // A name we cannot read is left alone.
  if (wanted === null) return true;
  return partition === wanted[1] && Number(first) <= Number(wanted[2]) && Number(last) >= Number(wanted[3]);
}

function list(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}
