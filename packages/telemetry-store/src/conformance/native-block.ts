/** A `Native` block of (Id UInt64, Text String), written by hand: the suite needs one without the writer. */
export function idTextBlock(rows: readonly { id: number; text: string }[]): Uint8Array {
  const parts: Buffer[] = [varint(2), varint(rows.length)];
  parts.push(text('Id'), text('UInt64'));
  const ids = Buffer.alloc(rows.length * 8);
  rows.forEach(({ id }, row) => ids.writeBigUInt64LE(BigInt(id), row * 8));
  parts.push(ids, text('Text'), text('String'), ...rows.map((row) => text(row.text)));
  return Buffer.concat(parts);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([varint(bytes.length), bytes]);
}
