import type { Agent, ClientRequest, IncomingMessage } from 'node:http';

/** What an answer of a server may be. Beyond it the connection is closed and whoever reads gets an error. */
export interface AnswerBounds {
  /** Bytes of the body. */
  readonly bytes: number;
  /** Given where rows are read one by one: bytes of a row, which is held in memory until its end. */
  readonly lineBytes?: number;
  /** From the request to the end of its answer, milliseconds. */
  readonly ms: number;
}

/** The answer of a ClickHouse is larger or slower than it may be, or compressed. */
export class UnboundedAnswerError extends Error {
  override readonly name = 'UnboundedAnswerError';
  readonly bound: 'bytes' | 'time' | 'encoding';

  constructor(bound: UnboundedAnswerError['bound'], message: string) {
    super(message);
    this.bound = bound;
  }
}

/** Bytes that answers which are read whole may hold together, whoever asked whatever server for them. */
const ALL_BYTES = 512 << 20;
let held = 0;

const LINE_END = 0x0a;

/** `addRequest` is how Node hands a request to its agent, and what every agent of the registry overrides; types leave it out. */
interface Handing {
  addRequest(request: ClientRequest, ...rest: unknown[]): void;
}

/**
 * Bounds every answer that comes over an agent: those of errors and those that are thrown away too, which the client
 * library reads whole. Nothing is asked for compressed, so what comes compressed is refused instead of inflated.
 */
export function boundAnswers<T extends Agent>(agent: T, bounds: AnswerBounds): T {
  const handing = agent as unknown as Handing;
  const hand = handing.addRequest.bind(agent);
  handing.addRequest = (request, ...rest) => {
    const late = setTimeout(() => {
      request.destroy(new UnboundedAnswerError('time', `The answer was not complete after ${bounds.ms} ms`));
    }, bounds.ms);
    late.unref();
    request.once('close', () => clearTimeout(late));
    request.prependOnceListener('response', (answer: IncomingMessage) => boundAnswer(answer, bounds));
    hand(request, ...rest);
  };
  return agent;
}

function boundAnswer(answer: IncomingMessage, { bytes, lineBytes }: AnswerBounds): void {
  const encoding = answer.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    answer.destroy(new UnboundedAnswerError('encoding', 'The answer is compressed, which was not asked for'));
    return;
  }
  const push = answer.push.bind(answer);
  let [all, line] = [0, 0];
  // Read row by row it is not held in memory.
  const whole = lineBytes === undefined;
  answer.once('close', () => {
    if (whole) held -= all;
  });
  // The parser pushes what arrives; a listener for data would let it flow before somebody reads.
  answer.push = (chunk: unknown, textEncoding?: BufferEncoding): boolean => {
    if (Buffer.isBuffer(chunk) && !answer.destroyed) {
      all += chunk.length;
      if (whole) held += chunk.length;
      const end = chunk.lastIndexOf(LINE_END);
      line = end === -1 ? line + chunk.length : chunk.length - end - 1;
      if (all > bytes || (whole ? held > ALL_BYTES : line > lineBytes)) {
        answer.destroy(new UnboundedAnswerError('bytes', 'The answer is larger than it may be'));
        return false;
      }
    }
    return push(chunk, textEncoding);
  };
}
