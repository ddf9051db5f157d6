import type { IncomingMessage } from 'node:http';
import { ControlError } from './contract.ts';

export const MAX_BODY_BYTES = 1_048_576;
const MAX_LIST = 4_096;

/** The JSON object of a request; an empty body is an empty object. @throws ControlError 400, 413, 415 */
export async function readJsonBody(request: IncomingMessage): Promise<ReadonlyMap<string, unknown>> {
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new ControlError(415, 'Send the body without a content encoding.');
  }
  const tooLarge = () => new ControlError(413, `The body is larger than ${MAX_BODY_BYTES} bytes.`);
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  if (size === 0) return new Map();
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
  } catch (cause) {
    throw new ControlError(400, 'The body is not JSON.', { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ControlError(400, 'The body is not a JSON object.');
  }
  return new Map(Object.entries(value));
}

/** Reads the fields of a body by name and type; whatever is left at the end is unknown. */
export class Fields {
  readonly #left: Map<string, unknown>;

  constructor(body: ReadonlyMap<string, unknown>) {
    this.#left = new Map(body);
  }

  #take<T>(name: string, takes: string, read: (value: unknown) => T | undefined): T | undefined {
    const value = this.#left.get(name);
    this.#left.delete(name);
    if (value === undefined || value === null) return undefined;
    const found = read(value);
    if (found === undefined) throw new ControlError(400, `"${name}" takes ${takes}.`);
    return found;
  }

  whole(name: string): number | undefined {
    return this.#take(name, 'a whole number from 0', wholeNumber);
  }

  text(name: string): string | undefined {
    return this.#take(name, 'a text of 1 to 4096 characters', (value) =>
      typeof value === 'string' && value !== '' && value.length <= 4_096 && !value.includes('\0')
        ? value
        : undefined,
    );
  }

  /** False unless it is given. */
  flag(name: string): boolean {
    return (
      this.#take(name, 'true or false', (value) => (typeof value === 'boolean' ? value : undefined)) ?? false
    );
  }

  wholes(name: string): readonly number[] | undefined {
    return this.#take(name, `a list of at most ${MAX_LIST} whole numbers from 0`, (value) => {
      if (!Array.isArray(value) || value.length > MAX_LIST) return undefined;
      const numbers = value.map(wholeNumber);
      return numbers.every((one) => one !== undefined) ? numbers : undefined;
    });
  }

  /** @throws ControlError 400 something else was sent */
  end(): void {
    const [name] = this.#left.keys();
    if (name !== undefined) {
      throw new ControlError(400, `${JSON.stringify(name.slice(0, 100))} is not a field of this request.`);
    }
  }
}

function wholeNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
