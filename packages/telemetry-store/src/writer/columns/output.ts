import { writeVarint } from './byte-sink.ts';

/**
 * One block being written out: a buffer of exactly the size computed before, on its own ArrayBuffer so that it can be
 * transferred to another thread.
 */
export class Output {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  at = 0;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size);
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, size);
  }

  varint(value: number): void {
    this.at = writeVarint(this.bytes, this.at, value);
  }

  /** A 64-bit unsigned number below 2^53. */
  uint64(value: number): void {
    this.view.setUint32(this.at, value >>> 0, true);
    this.view.setUint32(this.at + 4, Math.floor(value / 0x1_0000_0000), true);
    this.at += 8;
  }

  copy(source: Uint8Array): void {
    this.bytes.set(source, this.at);
    this.at += source.length;
  }
}

export function varintSize(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5;
}
