import { isUtf8 } from 'node:buffer';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** True when bytes `start..end` are valid UTF-8. ASCII up to 64 bytes is recognised without leaving JavaScript. */
export function isValidUtf8(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start <= 64) {
    let bits = 0;
    for (let index = start; index < end; index++) bits |= bytes[index] as number;
    if (bits < 0x80) return true;
  }
  return isUtf8(bytes.subarray(start, end));
}

/** Text of a byte range; every invalid sequence becomes U+FFFD. */
export function decodeUtf8(bytes: Uint8Array, start: number, end: number): string {
  return start === end ? '' : decoder.decode(bytes.subarray(start, end));
}

/** The largest end <= `start + limit` that does not cut a character in two (continuation bytes are 10xxxxxx). */
export function boundaryBefore(bytes: Uint8Array, start: number, end: number, limit: number): number {
  if (end - start <= limit) return end;
  let cut = start + limit;
  for (let steps = 0; steps < 3 && cut > start && ((bytes[cut] as number) & 0xc0) === 0x80; steps++) cut--;
  return cut;
}
