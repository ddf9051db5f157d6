import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Unzip, UnzipInflate } from 'fflate';
import { extract } from 'tar-stream';
import { ScanError, type Source } from '../engine.ts';
import type { Coverage } from '../types.ts';
import { BOUNDS, lazyFile, mostBytes, refusedPath, skip } from './bounds.ts';

interface Entry {
  readonly path: string;
  readonly content: Uint8Array;
}

/** Small pieces: what one of them inflates to is held at once. */
const STEP = 16_384;
/** Code packs to a tenth. What grows further than this, and beyond `BOMB_FROM`, was made to fill memory. */
const UNKNOWN = 'files that are packed in an unknown way or damaged';
const MAX_RATIO = 100;
const BOMB_FROM = 32 * 1_048_576;

/** An uploaded archive: zip, tar or tar.gz, told by its first bytes. Nothing is written; links are not followed. */
export function archiveSource(archive: Uint8Array): Source {
  return {
    async *files(coverage) {
      const budget = new Budget(archive.length);
      for await (const { path, content } of entriesOf(archive, coverage, budget)) {
        yield lazyFile(path, content.length, async () => content);
      }
    },
  };
}

function entriesOf(archive: Uint8Array, coverage: Coverage, budget: Budget): AsyncIterable<Entry> {
  if (archive[0] === 0x50 && archive[1] === 0x4b) return zipEntries(archive, coverage, budget);
  const isTar = Buffer.from(archive.subarray(257, 262)).toString('latin1') === 'ustar';
  if (isTar || (archive[0] === 0x1f && archive[1] === 0x8b))
    return tarEntries(archive, isTar, coverage, budget);
  throw new ScanError('The upload is no zip, tar or tar.gz archive.');
}

/** Counts what comes out of an archive. */
class Budget {
  readonly #packed: number;
  #files = 0;
  #bytes = 0;

  constructor(packed: number) {
    this.#packed = packed;
  }

  /** @throws ScanError too many files */
  file(): void {
    this.#files += 1;
    if (this.#files > BOUNDS.files)
      throw new ScanError(`The archive has more than ${BOUNDS.files} files. Upload a part of it.`);
  }

  /** @throws ScanError the archive inflates too far */
  bytes(count: number): void {
    this.#bytes += count;
    if (this.#bytes > BOUNDS.totalBytes)
      throw new ScanError('The files of the archive are larger than 1 GiB together. Upload a part of it.');
    if (this.#bytes > BOMB_FROM && this.#bytes > this.#packed * MAX_RATIO)
      throw new ScanError(
        `The archive inflates to more than ${MAX_RATIO} times its size (archive-bomb); it was not read.`,
      );
  }
}

/** The path of an entry as it is scanned; undefined, with the reason noted, when it is not. */
function pathOf(name: string, coverage: Coverage): string | undefined {
  const path = name.replaceAll('\\', '/').replace(/^(\.\/)+/, '');
  const refused = refusedPath(path);
  if (refused === undefined) return path;
  skip(coverage, refused);
  return undefined;
}

async function* zipEntries(
  archive: Uint8Array,
  coverage: Coverage,
  budget: Budget,
): AsyncGenerator<Entry, void, undefined> {
  const announced = entriesAnnounced(archive);
  let seen = 0;
  const ready: Entry[] = [];
  let failure: unknown;
  const unzip = new Unzip((file) => {
    seen += 1;
    if (file.name.endsWith('/')) return;
    const path = pathOf(file.name, coverage);
    const parts: Uint8Array[] = [];
    let size = 0;
    file.ondata = (error, data, final) => {
      if (failure !== undefined) return;
      if (error !== null) {
        skip(coverage, UNKNOWN);
        return;
      }
      try {
        budget.bytes(data.length);
      } catch (thrown) {
        failure = thrown;
        return;
      }
      size += data.length;
      if (path === undefined) return;
      if (size <= mostBytes(path)) parts.push(data);
      else parts.length = 0;
      if (!final) return;
      if (size > mostBytes(path)) skip(coverage, 'files that are too large');
      else ready.push({ path, content: Buffer.concat(parts) });
    };
    try {
      budget.file();
      file.start();
    } catch (thrown) {
      if (thrown instanceof ScanError) failure ??= thrown;
      else skip(coverage, UNKNOWN);
    }
  });
  unzip.register(UnzipInflate);
  for (let at = 0; at < archive.length; at += STEP) {
    try {
      unzip.push(archive.subarray(at, at + STEP), at + STEP >= archive.length);
    } catch {
      failure ??= new ScanError('The zip archive is damaged or was cut.');
    }
    if (failure !== undefined) throw failure;
    yield* ready.splice(0);
  }
  // A cut archive must not pass for a small one: what is missing would count as mended.
  if (seen % 65_536 !== announced) throw new ScanError('The zip archive is damaged or was cut.');
}

/** How many entries the end of a zip announces, modulo 65,536. @throws ScanError it has no end */
function entriesAnnounced(archive: Uint8Array): number {
  const tail = Buffer.from(archive.subarray(Math.max(0, archive.length - 65_557)));
  const at = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (at < 0 || at + 12 > tail.length) throw new ScanError('The zip archive is damaged or was cut.');
  return tail.readUInt16LE(at + 10);
}

async function* tarEntries(
  archive: Uint8Array,
  isPlain: boolean,
  coverage: Coverage,
  budget: Budget,
): AsyncGenerator<Entry, void, undefined> {
  const pieces = function* () {
    for (let at = 0; at < archive.length; at += STEP) yield archive.subarray(at, at + STEP);
  };
  const tar = extract();
  const packed = Readable.from(pieces());
  const source: Readable = isPlain ? packed : packed.pipe(createGunzip());
  const damaged = () => new ScanError('The tar archive is damaged or no tar archive.');
  source.on('data', (chunk: Uint8Array) => {
    try {
      budget.bytes(chunk.length);
      if (!tar.write(chunk)) source.pause();
    } catch (thrown) {
      source.destroy();
      tar.destroy(thrown instanceof Error ? thrown : damaged());
    }
  });
  tar.on('drain', () => source.resume());
  source.on('end', () => tar.end(undefined));
  source.on('error', () => tar.destroy(damaged()));
  try {
    for await (const entry of tar) {
      const { name, type, size } = entry.header;
      if (type !== 'file' && type !== 'contiguous-file') {
        if (type !== 'directory') skip(coverage, 'links and special files');
        entry.resume();
        continue;
      }
      budget.file();
      const path = pathOf(name, coverage);
      if (path === undefined || size > mostBytes(path)) {
        if (path !== undefined) skip(coverage, 'files that are too large');
        entry.resume();
        continue;
      }
      const parts: Uint8Array[] = [];
      for await (const part of entry) parts.push(part as Uint8Array);
      yield { path, content: Buffer.concat(parts) };
    }
  } catch (thrown) {
    throw thrown instanceof ScanError ? thrown : damaged();
  } finally {
    source.destroy();
  }
}
