/** True when `length` bytes from `start` are all zero. */
export function isZero(bytes: Uint8Array, start: number, length: number): boolean {
  for (let index = start; index < start + length; index++) if (bytes[index] !== 0) return false;
  return true;
}
