import { CandelaError } from './errors.ts';
import { isRecord } from './transport.ts';

/** Reads the fields of an answer; what is not as it must be is no answer of a platform. */
export class Fields {
  readonly #of: Readonly<Record<string, unknown>>;
  readonly #what: string;

  constructor(value: unknown, what: string) {
    if (!isRecord(value)) throw unexpected(what);
    this.#of = value;
    this.#what = what;
  }

  text(key: string): string {
    const value = this.#of[key];
    if (typeof value !== 'string') throw unexpected(`${this.#what}.${key}`);
    return value;
  }

  texts(key: string): readonly string[] {
    return this.list(key).map((value) => {
      if (typeof value !== 'string') throw unexpected(`${this.#what}.${key}`);
      return value;
    });
  }

  flag(key: string): boolean {
    const value = this.#of[key];
    if (typeof value !== 'boolean') throw unexpected(`${this.#what}.${key}`);
    return value;
  }

  number(key: string): number {
    const value = this.#of[key];
    if (typeof value !== 'number') throw unexpected(`${this.#what}.${key}`);
    return value;
  }

  isNull(key: string): boolean {
    return (this.#of[key] ?? null) === null;
  }

  /** A list; absent and null are the empty one. */
  list(key: string): readonly unknown[] {
    const value = this.#of[key] ?? [];
    if (!Array.isArray(value)) throw unexpected(`${this.#what}.${key}`);
    return value;
  }

  /** A map; absent and null are the empty one. */
  record(key: string): Readonly<Record<string, unknown>> {
    const value = this.#of[key] ?? {};
    if (!isRecord(value)) throw unexpected(`${this.#what}.${key}`);
    return value;
  }

  has(key: string): boolean {
    return this.#of[key] !== undefined;
  }
}

/** @param what the part of the answer that is wrong; never its value, which may be a secret */
export const unexpected = (what: string): CandelaError =>
  new CandelaError(
    'unexpected_answer',
    `The answer of the platform is not as expected at "${what}". See that the address is that of a Candela platform ` +
      'and that this library is not older than it.',
  );

/** Makes a value that several callers share safe from each of them. */
export function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) freeze(part);
  }
  return value;
}
