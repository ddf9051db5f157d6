import { Agent, request } from 'node:http';

export interface PostAnswer {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  /** True when the answer carries a partial success: an empty protobuf message means that all was taken. */
  readonly rejected: boolean;
}

/** Sends OTLP protobuf bodies over kept-alive connections with as little work as possible. */
export class Poster {
  readonly #agent: Agent;
  readonly #url: URL;
  readonly #headers: Record<string, string>;

  constructor(endpoint: string, key: string | undefined, connections: number, receiver = '/v1/traces') {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' });
    this.#url = new URL(receiver, endpoint);
    this.#headers = {
      'content-type': 'application/x-protobuf',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    };
  }

  post(body: Buffer): Promise<PostAnswer> {
    return new Promise((resolve, reject) => {
      const sent = request(
        this.#url,
        {
          method: 'POST',
          agent: this.#agent,
          headers: { ...this.#headers, 'content-length': String(body.length) },
        },
        (response) => {
          let length = 0;
          response.on('data', (chunk: Buffer) => {
            length += chunk.length;
          });
          response.on('error', reject);
          response.on('end', () => {
            const seconds = Number(response.headers['retry-after']);
            resolve({
              status: response.statusCode ?? 0,
              retryAfterMs: Number.isFinite(seconds) ? seconds * 1_000 : undefined,
              rejected: response.statusCode === 200 && length > 0,
            });
          });
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
