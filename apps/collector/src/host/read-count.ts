import { readLine } from '../files.ts';

const WHOLE = /^\d{1,20}$/;

/** A file that holds one whole number up to 2^64; undefined when it is not there or says anything else (`N/A (no PMA)`). */
export function readCount(path: string): bigint | undefined {
  const text = readLine(path, 64);
  return text !== undefined && WHOLE.test(text) ? BigInt(text) : undefined;
}
