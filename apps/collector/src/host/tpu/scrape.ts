import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

export const MAX_BODY_BYTES = 8 * 1_048_576;
const MAX_HEADER_BYTES = 16_384;

export type ScrapeFailure =
  | 'connection_refused'
  | 'connection'
  | 'timeout'
  | 'status'
  | 'redirect'
  | 'encoding'
  | 'too_large';

export class ScrapeError extends Error {
  override readonly name = 'ScrapeError';
  readonly type: ScrapeFailure;
  constructor(type: ScrapeFailure, message: string) {
    super(message);
    this.type = type;
  }
}

/**
 * Text of a metrics endpoint. One connection to the named host and nowhere else: no redirect is followed, no proxy asked,
 * nothing is unpacked, and time and size end it. @throws ScrapeError
 */
export function scrape(endpoint: URL, timeoutMs: number, signal: AbortSignal): Promise<string> {
  const request = endpoint.protocol === 'https:' ? httpsRequest : httpRequest;
  const stop = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  return new Promise((resolve, reject) => {
    const fail = (thrown: unknown) =>
      reject(
        stop.aborted
          ? new ScrapeError('timeout', `no whole answer within ${timeoutMs} ms`)
          : asScrapeError(thrown),
      );
    const sent = request(
      endpoint,
      {
        agent: false,
        signal: stop,
        maxHeaderSize: MAX_HEADER_BYTES,
        headers: { accept: 'text/plain;version=0.0.4', 'accept-encoding': 'identity', connection: 'close' },
      },
      (answer) => {
        readAnswer(answer)
          .then(resolve, fail)
          .finally(() => sent.destroy());
      },
    );
    sent.on('error', fail);
    sent.end();
  });
}

async function readAnswer(answer: IncomingMessage): Promise<string> {
  const status = answer.statusCode ?? 0;
  if (status >= 300 && status < 400) {
    throw new ScrapeError('redirect', `answered ${status}: redirects are not followed`);
  }
  if (status !== 200) throw new ScrapeError('status', `answered ${status}`);
  const encoding = answer.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    throw new ScrapeError('encoding', `answered packed (${encoding.slice(0, 40)}), which was not asked for`);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES)
      throw new ScrapeError('too_large', `answer of more than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function asScrapeError(thrown: unknown): ScrapeError {
  if (thrown instanceof ScrapeError) return thrown;
  const code = (thrown as NodeJS.ErrnoException | undefined)?.code;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  // A name with several addresses fails with one error for each, and says only the code itself.
  return new ScrapeError(
    code === 'ECONNREFUSED' ? 'connection_refused' : 'connection',
    message || (code ?? 'failed'),
  );
}
