import { createReadStream, openSync, readSync, closeSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import {
  brotliDecompressSync,
  createGunzip,
  createZstdDecompress,
  gunzipSync,
  zstdDecompressSync,
} from 'node:zlib';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { UsageError } from '../command.ts';
import type { ImportNotes, Row } from './format.ts';
import { isObject } from './values.ts';

/** A file that is one JSON document is held in memory: more than this is to be given as JSON Lines. */
const LARGEST_DOCUMENT = 256 * 1024 * 1024;
/** One line of JSON Lines: a span with all its texts. */
const LONGEST_LINE = 64 * 1024 * 1024;
const HEAD_BYTES = 64 * 1024;
/** Lists in which APIs wrap what they answer. */
const WRAPPERS = ['data', 'runs', 'traces', 'observations', 'spans', 'items'];

/** The first bytes of a file, unpacked. */
export function headOf(file: string): Uint8Array {
  const buffer = Buffer.alloc(Math.min(HEAD_BYTES, Math.max(1, statSync(file).size)));
  const handle = openSync(file, 'r');
  const read = readSync(handle, buffer, 0, buffer.length, 0);
  closeSync(handle);
  return buffer.subarray(0, read);
}

const startsWith = (bytes: Uint8Array, ...wanted: readonly number[]): boolean =>
  wanted.every((byte, at) => bytes[at] === byte);
const isParquet = (head: Uint8Array): boolean => startsWith(head, 0x50, 0x41, 0x52, 0x31);

/** The bytes of a file, unpacked where gzip or zstd wrote it. */
export function streamOf(file: string): Readable {
  const head = headOf(file);
  const stream = createReadStream(file);
  if (startsWith(head, 0x1f, 0x8b)) return stream.pipe(createGunzip());
  if (startsWith(head, 0x28, 0xb5, 0x2f, 0xfd)) return stream.pipe(createZstdDecompress());
  return stream;
}

export async function bytesOf(file: string): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of streamOf(file) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_DOCUMENT) {
      throw new UsageError(
        `${file} is one document of more than ${LARGEST_DOCUMENT / 1024 ** 2} MiB. Export it as JSON Lines, or in parts.`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The objects of a JSON, JSON Lines or Parquet file, one after another. Lines that are no JSON are noted. */
export async function* rowsOf(file: string, notes: ImportNotes): AsyncGenerator<Row> {
  if (isParquet(headOf(file))) {
    yield* parquetRows(file);
    return;
  }
  let first = true;
  for await (const line of linesOf(file)) {
    if (line.trim() === '') continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      if (first) {
        // Not a row a line: the file is one document, written over several lines.
        yield* documentRows(file);
        return;
      }
      notes.skipped('a line is not JSON');
      continue;
    }
    first = false;
    yield* unwrapped(value);
  }
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const lines = createInterface({ input: streamOf(file), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) {
    if (line.length > Math.max(LONGEST_LINE, LARGEST_DOCUMENT))
      throw new UsageError(`${file} has a line that is too long.`);
    yield line;
  }
}

async function* documentRows(file: string): AsyncGenerator<Row> {
  const text = Buffer.from(await bytesOf(file))
    .toString('utf8')
    .replace(/^\uFEFF/, '');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw new UsageError(`${file} is neither JSON nor JSON Lines: ${(thrown as Error).message}`, {
      cause: thrown,
    });
  }
  yield* unwrapped(value);
}

function* unwrapped(value: unknown): Generator<Row> {
  if (Array.isArray(value)) {
    for (const each of value) if (isObject(each)) yield each;
    return;
  }
  if (!isObject(value)) return;
  const keys = Object.keys(value);
  const wrapper = WRAPPERS.find((key) => Array.isArray(value[key]));
  // A trace with its observations is a row itself: only what has nothing of its own is a wrapper.
  if (
    wrapper !== undefined &&
    !keys.includes('id') &&
    !keys.includes('traceID') &&
    !keys.includes('trace_id')
  ) {
    yield* unwrapped(value[wrapper]);
    return;
  }
  yield value;
}

const ROWS_AT_ONCE = 2_000;

async function* parquetRows(path: string): AsyncGenerator<Row> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const total = Number(metadata.num_rows);
  for (let from = 0; from < total; from += ROWS_AT_ONCE) {
    const rows = await parquetReadObjects({
      file,
      metadata,
      rowStart: from,
      rowEnd: Math.min(total, from + ROWS_AT_ONCE),
      compressors: {
        GZIP: (input) => gunzipSync(input),
        ZSTD: (input) => zstdDecompressSync(input),
        BROTLI: (input) => brotliDecompressSync(input),
      },
    });
    yield* rows;
  }
}

/** The first row of a file, to tell its format. */
export async function firstRowOf(file: string): Promise<Row | undefined> {
  const head = headOf(file);
  const text = Buffer.from(head).toString('utf8').trimStart();
  const isPacked = startsWith(head, 0x1f, 0x8b) || startsWith(head, 0x28, 0xb5, 0x2f, 0xfd);
  if (!isParquet(head) && !isPacked && !/^\uFEFF?\s*[[{]/.test(text)) return undefined;
  for await (const row of rowsOf(file, { skipped: () => undefined })) return row;
  return undefined;
}
