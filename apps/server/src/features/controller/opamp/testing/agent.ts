import { gzipSync } from 'node:zlib';
import { WebSocket } from 'ws';
import { bytesOf, field, fieldsOf, textOf } from '../wire.ts';

interface Told {
  readonly config: { readonly body: string; readonly hash: string } | undefined;
  readonly error: string;
  readonly flags: bigint;
}

/** What a server said, read by the numbers of `opamp.proto`. */
function readTold(bytes: Buffer): Told {
  let config: Told['config'];
  let error = '';
  let flags = 0n;
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 2)
      for (const part of fieldsOf(bytesOf(value))) if (part.number === 2) error = textOf(part.value);
    if (number === 6) flags = typeof value === 'bigint' ? value : 0n;
    if (number !== 3) continue;
    let [body, hash] = ['', ''];
    for (const part of fieldsOf(bytesOf(value))) {
      if (part.number === 2) hash = bytesOf(part.value).toString('hex');
      if (part.number !== 1) continue;
      for (const entry of fieldsOf(bytesOf(part.value)))
        for (const pair of fieldsOf(bytesOf(entry.value)))
          if (pair.number === 2)
            for (const file of fieldsOf(bytesOf(pair.value)))
              if (file.number === 1) body = textOf(file.value);
    }
    config = { body, hash };
  }
  return { config, error, flags };
}

/** An agent that speaks OpAMP as the Go library does: over HTTP with gzip, or over a WebSocket. */
export class OpampAgent {
  readonly #url: string;
  readonly #key: string;
  readonly #uid: Buffer;
  #sequence = 0n;
  #socket: WebSocket | undefined;
  readonly told: Told[] = [];
  closed: number | undefined;

  constructor(url: string, key: string, uid: Buffer) {
    this.#url = `${url}/v1/opamp`;
    this.#key = key;
    this.#uid = uid;
  }

  message(...parts: readonly Buffer[]): Buffer {
    this.#sequence += 1n;
    return Buffer.concat([field(1, this.#uid), field(2, this.#sequence), ...parts]);
  }

  async post(body: Buffer, headers: Readonly<Record<string, string>> = {}) {
    const answer = await fetch(this.#url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.#key}`,
        'content-type': 'application/x-protobuf',
        'content-encoding': 'gzip',
        ...headers,
      },
      body: gzipSync(body),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    return { status: answer.status, told: answer.status === 200 ? readTold(bytes) : undefined };
  }

  async connect(): Promise<void> {
    const socket = new WebSocket(this.#url.replace('http', 'ws'), {
      headers: { authorization: `Bearer ${this.#key}` },
    });
    this.#socket = socket;
    socket.on('message', (data: Buffer) => this.told.push(readTold(data.subarray(1))));
    socket.on('close', (code) => (this.closed = code));
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
  }
  send(body: Buffer, header = 0): void {
    this.#socket?.send(Buffer.concat([Buffer.of(header), body]));
  }
  close(): void {
    this.#socket?.close();
  }
}

const attribute = (key: string, value: string) =>
  field(1, Buffer.concat([field(1, key), field(2, field(1, value))]));
export const description = (name: string): Buffer =>
  field(3, Buffer.concat([attribute('service.name', name), attribute('service.version', '0.165.0')]));
export const capabilities = (bits: bigint): Buffer => field(4, bits);
export const effective = (text: string): Buffer => {
  const file = Buffer.concat([field(1, text), field(2, 'text/yaml')]);
  return field(6, field(1, field(1, Buffer.concat([field(1, ''), field(2, file)]))));
};
export const remoteStatus = (hash: string, status: bigint, error = ''): Buffer =>
  field(7, Buffer.concat([field(1, Buffer.from(hash, 'hex')), field(2, status), field(3, error)]));
export const health = (healthy: boolean, error = ''): Buffer =>
  field(
    5,
    Buffer.concat([
      field(1, healthy ? 1n : 0n),
      field(3, error),
      field(6, Buffer.concat([field(1, 'pipeline:traces'), field(2, field(1, 1n))])),
    ]),
  );
