/** What a `google.rpc.Status` in protobuf says: enough of a reader to check ours against the wire format by hand. */
export interface ReadStatus {
  code: number;
  message: string;
  /** Seconds of a RetryInfo detail, or undefined when there is none. */
  retrySeconds: number | undefined;
}

export function readStatus(bytes: Uint8Array): ReadStatus {
  const status: ReadStatus = { code: 0, message: '', retrySeconds: undefined };
  for (const field of fields(Buffer.from(bytes))) {
    if (field.number === 1) status.code = field.value;
    if (field.number === 2) status.message = field.bytes.toString();
    if (field.number === 3) status.retrySeconds = readRetryInfo(field.bytes);
  }
  return status;
}

/** The count and the message of a `partial_success`; undefined when it is unset. */
export function readPartialSuccess(bytes: Uint8Array): { rejected: number; message: string } | undefined {
  const [outer] = fields(Buffer.from(bytes));
  if (outer === undefined) return undefined;
  const partial = { rejected: 0, message: '' };
  for (const field of fields(outer.bytes)) {
    if (field.number === 1) partial.rejected = field.value;
    if (field.number === 2) partial.message = field.bytes.toString();
  }
  return partial;
}

function readRetryInfo(any: Buffer): number | undefined {
  const parts = fields(any);
  const type = parts.find((field) => field.number === 1)?.bytes.toString();
  if (type !== 'type.googleapis.com/google.rpc.RetryInfo') return undefined;
  const info = parts.find((field) => field.number === 2)?.bytes ?? Buffer.alloc(0);
  const duration = fields(info).find((field) => field.number === 1)?.bytes ?? Buffer.alloc(0);
  return fields(duration).find((field) => field.number === 1)?.value;
}

function fields(bytes: Buffer): { number: number; value: number; bytes: Buffer }[] {
  const found: { number: number; value: number; bytes: Buffer }[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = bytes.readUInt8(at++);
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    if ((tag & 7) === 0) found.push({ number: tag >>> 3, value: varint(), bytes: Buffer.alloc(0) });
    else if ((tag & 7) === 2) {
      const length = varint();
      found.push({ number: tag >>> 3, value: 0, bytes: bytes.subarray(at, at + length) });
      at += length;
    } else throw new Error(`unexpected wire type ${tag & 7}`);
  }
  return found;
}
