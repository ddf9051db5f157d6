import {
  closeSync,
  constants,
  fsyncSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Writes a file whole or not at all, also over a loss of power. */
export function writeWhole(file: string, text: string, mode = 0o600): void {
  const beside = join(dirname(file), `.${process.pid}.tmp`);
  rmSync(beside, { force: true });
  const fd = openSync(beside, 'wx', mode);
  try {
    let bytes = Buffer.from(text);
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(fd, bytes));
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(beside, file);
}

/** Names in a folder without hidden ones, sorted; none where it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .sort();
  } catch {
    return [];
  }
}

export function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** A part of a regular file; no link is followed and nothing waited for. Undefined where it is none. */
export function readPart(
  file: string,
  offset: number,
  most: number,
): { readonly bytes: Buffer; readonly size: number } | undefined {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return undefined;
    const from = stat.size < offset ? 0 : offset;
    const bytes = Buffer.alloc(Math.min(most, stat.size - from));
    const read = readSync(fd, bytes, 0, bytes.length, from);
    return { bytes: bytes.subarray(0, read), size: stat.size };
  } finally {
    closeSync(fd);
  }
}
