/**
 * Hash of a byte range, four bytes a step. `seed` is drawn at start, so that a sender cannot prepare keys that all
 * collide.
 */
export function hashBytes(view: DataView, start: number, end: number): number {
  let hash = SEED ^ (end - start);
  let pos = start;
  for (; pos + 4 <= end; pos += 4) {
    hash = Math.imul(hash ^ view.getInt32(pos, true), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  for (; pos < end; pos++) hash = Math.imul(hash ^ view.getUint8(pos), 0x01000193);
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  return hash ^ (hash >>> 13);
}

const SEED = crypto.getRandomValues(new Int32Array(1))[0] as number;

/** True when two ranges of `length` bytes are equal. */
export function equalBytes(
  left: DataView,
  leftStart: number,
  right: DataView,
  rightStart: number,
  length: number,
): boolean {
  let index = 0;
  for (; index + 4 <= length; index += 4) {
    if (left.getInt32(leftStart + index, true) !== right.getInt32(rightStart + index, true)) return false;
  }
  for (; index < length; index++) {
    if (left.getUint8(leftStart + index) !== right.getUint8(rightStart + index)) return false;
  }
  return true;
}
