import { closeSync, constants, opendirSync, openSync, readlinkSync, readSync } from 'node:fs';

/**
 * Reading small files of /proc, /sys and the like. Synchronous, because these are answered from memory and a trip
 * through the thread pool costs more than the read; what may hang must not be read here: places on a file server
 * (host/filesystem/patient.ts), files that a driver answers (driver-files.ts).
 * What is not there, or may not be read, is undefined: it is a matter of course on a living machine.
 */

/** Gone, not for us, or not told by this device. Anything else (EIO, EMFILE) is a failure, and thrown. */
const NOT_THERE: ReadonlySet<string> = new Set([
  'ENOENT',
  'ENOTDIR',
  'ESRCH',
  'ENODEV',
  'ENXIO',
  'EACCES',
  'EPERM',
  'EINVAL',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EISDIR',
  'ELOOP',
  'ENODATA',
  'EAGAIN',
]);

/** Whether an error of this code means that there is nothing to read, as against a failure. */
export const isNotThereCode = (code: string): boolean => NOT_THERE.has(code);

const isNotThere = (thrown: unknown): boolean =>
  isNotThereCode((thrown as NodeJS.ErrnoException | undefined)?.code ?? '');

const DEFAULT_MAX_BYTES = 1_048_576;
const DEFAULT_MAX_ENTRIES = 100_000;
const CHUNK = 65_536;
/** Opening a pipe that lies where a file should must not wait for its writer. Windows has no such flag. */
const OPEN = constants.O_RDONLY | (process.platform === 'win32' ? 0 : constants.O_NONBLOCK);
const shared = Buffer.allocUnsafe(CHUNK);

export class FileTooLongError extends Error {
  override readonly name = 'FileTooLongError';
  constructor(path: string, maxBytes: number) {
    super(`${path} is longer than ${maxBytes} bytes`);
  }
}

/** At most `maxBytes` from the beginning; `whole` tells whether that was all. */
function readBytes(path: string, maxBytes: number): { text: string; whole: boolean } | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, OPEN);
    const chunks: Buffer[] = [];
    let size = 0;
    for (;;) {
      // One byte more than allowed is asked for: that is how a longer file shows.
      const wanted = Math.min(CHUNK, maxBytes + 1 - size);
      if (wanted <= 0) break;
      const count = readSync(descriptor, shared, 0, wanted, null);
      if (count === 0) break;
      size += count;
      // Nearly every file here fits into one read, and then nothing is copied.
      if (count < wanted && chunks.length === 0) {
        const next = readSync(descriptor, shared, count, Math.min(CHUNK - count, maxBytes + 1 - size), null);
        if (next === 0) return { text: shared.toString('utf8', 0, count), whole: true };
        size += next;
        chunks.push(Buffer.from(shared.subarray(0, count + next)));
      } else chunks.push(Buffer.from(shared.subarray(0, count)));
    }
    const all = Buffer.concat(chunks);
    return { text: all.toString('utf8', 0, maxBytes), whole: all.length <= maxBytes };
  } catch (thrown) {
    if (isNotThere(thrown)) return undefined;
    throw thrown;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The whole file as text; undefined when it is not there. @throws FileTooLongError half a table would be a lie */
export function readText(path: string, maxBytes: number = DEFAULT_MAX_BYTES): string | undefined {
  const read = readBytes(path, maxBytes);
  if (read !== undefined && !read.whole) throw new FileTooLongError(path, maxBytes);
  return read?.text;
}

/** The first `maxBytes` of a file, for content where the beginning says enough (a command line). */
export function readHead(path: string, maxBytes: number): string | undefined {
  return readBytes(path, maxBytes)?.text;
}

/** A file of one line without the blanks around it; undefined when it is not there or empty. */
export function readLine(path: string, maxBytes = 4_096): string | undefined {
  const text = readHead(path, maxBytes)?.trim();
  return text === '' ? undefined : text;
}

const MAX_NUMBER_BYTES = 64;
const NUMBER = /^-?\d+(\.\d+)?$/;

/** A file that holds one decimal number; undefined when it is not there or holds anything else. */
export function readNumber(path: string): number | undefined {
  const read = readBytes(path, MAX_NUMBER_BYTES);
  const text = read?.whole === true ? read.text.trim() : '';
  return NUMBER.test(text) ? Number(text) : undefined;
}

/** Names in a directory, in the order of the system; undefined when it is not there. More than `maxEntries` are cut. */
export function readNames(path: string, maxEntries: number = DEFAULT_MAX_ENTRIES): string[] | undefined {
  try {
    const directory = opendirSync(path, { bufferSize: 256 });
    try {
      const names: string[] = [];
      while (names.length < maxEntries) {
        const entry = directory.readSync();
        if (entry === null) break;
        names.push(entry.name);
      }
      return names;
    } finally {
      directory.closeSync();
    }
  } catch (thrown) {
    if (isNotThere(thrown)) return undefined;
    throw thrown;
  }
}

/** Where a symbolic link points, unresolved; undefined when it is not there or no link. */
export function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (thrown) {
    if (isNotThere(thrown)) return undefined;
    throw thrown;
  }
}
