import { createReadStream, openSync, readSync, closeSync, statSync } from 'node:fs';
import { pipeline } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import {
  brotliDecompressSync,
  createGunzip,
  createZstdDecompress,
  gunzipSync,
  zstdDecompressSync,
} from 'node:zlib';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { NotDoneError } from '../command.ts';
import type { ImportNotes, Row } from './format.ts';
import { isObject } from './values.ts';

/** A file that is one JSON document is held in memory: more than this is to be given as JSON Lines. */
const LARGEST_DOCUMENT = 256 * 1024 * 1024;
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

/** The bytes of a file, unpacked where gzip or zstd wrote it. @throws NotDoneError where it is damaged */
async function* chunksOf(file: string): AsyncGenerator<Buffer> {
  const head = headOf(file);
  const packed = startsWith(head, 0x1f, 0x8b)
    ? createGunzip()
    : startsWith(head, 0x28, 0xb5, 0x2f, 0xfd)
      ? createZstdDecompress()
      : undefined;
  const stream = createReadStream(file);
  try {
    // A failure to read ends what unpacks, and with it the loop.
    yield* packed === undefined ? stream : pipeline(stream, packed, () => undefined);
  } catch (thrown) {
    throw new NotDoneError(`${file} cannot be read: ${(thrown as Error).message}.`, { cause: thrown });
  }
}

const tooLarge = (file: string): NotDoneError =>
  new NotDoneError(
    `${file} is one document of more than ${LARGEST_DOCUMENT / 1024 ** 2} MiB. Export it as JSON Lines, or in parts.`,
  );

/** A whole file, unpacked. @throws NotDoneError where it is damaged or too large */
export async function bytesOf(file: string): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunksOf(file)) {
    size += chunk.length;
    if (size > LARGEST_DOCUMENT) throw tooLarge(file);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The lines of a file, unpacked. @throws NotDoneError where it is damaged, or a line is too long to be held */
export async function* linesOf(file: string): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of chunksOf(file)) {
    const [first = '', ...others] = decoder.write(chunk).split('\n');
    parts.push(first);
    length += first.length;
    for (const other of others) {
      yield parts.join('');
      parts = [other];
      length = other.length;
    }
    if (length > LARGEST_DOCUMENT) throw tooLarge(file);
  }
  yield parts.join('') + decoder.end();
}

/** The objects of a JSON, JSON Lines or Parquet file, one after another. Lines that are no JSON are noted. */
export async function* rowsOf(file: string, notes: ImportNotes): AsyncGenerator<Row> {
  if (isParquet(headOf(file))) {
    yield* parquetRows(file);
    return;
  }
  let first = true;
  let number = 0;
  for await (const line of linesOf(file)) {
    number += 1;
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
      notes.skipped('a line is not JSON', file, number);
      continue;
    }
    first = false;
    yield* unwrapped(value);
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
    throw new NotDoneError(`${file} is neither JSON nor JSON Lines: ${(thrown as Error).message}`, {
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
  try {
    yield* rowsOfParquet(path);
  } catch (thrown) {
    throw new NotDoneError(`${path} cannot be read as Parquet: ${(thrown as Error).message}.`, {
      cause: thrown,
    });
  }
}

async function* rowsOfParquet(path: string): AsyncGenerator<Row> {
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
