import { join } from 'node:path';
import { readText } from '../../files.ts';
import type { HostPaths } from '../../host-paths.ts';

const MAX_BYTES = 65_536;
const LINE = /^([A-Za-z0-9_()]{1,64}): +(\d{1,15})( kB)?$/;

/** Rows of `/proc/meminfo` in bytes (its counts as they are). The last row is left out when it was cut off. */
export function parseMeminfo(text: string): Map<string, number> {
  const rows = new Map<string, number>();
  const lines = text.split('\n');
  lines.pop();
  for (const line of lines) {
    const match = LINE.exec(line);
    if (match === null) continue;
    const bytes = Number(match[2]) * (match[3] === undefined ? 1 : 1_024);
    if (Number.isSafeInteger(bytes)) rows.set(match[1] ?? '', bytes);
  }
  return rows;
}

/** Undefined when the file is not there. */
export function readMeminfo(paths: HostPaths): Map<string, number> | undefined {
  const text = readText(join(paths.proc, 'meminfo'), MAX_BYTES);
  return text === undefined ? undefined : parseMeminfo(text);
}
