/**
 * Gives the memory of `bytes` back at once instead of at some garbage collection; the array is empty afterwards.
 * Large buffers count against the collector's budget until it runs, so a fast flow of them makes it run all the time.
 * Does nothing when the array is only a part of its buffer: others may hold the rest.
 */
export function releaseBytes(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && bytes.byteLength === buffer.byteLength) buffer.transfer(0);
}
