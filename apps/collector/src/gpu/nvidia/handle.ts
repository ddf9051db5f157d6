import { GpuError } from '../vendor.ts';
import { codeText, isLost, isNever, isStale, SUCCESS } from './codes.ts';
import type { Nvml, NvmlArgument, NvmlFunction } from './native.ts';

const TEXT_BYTES = 96;

/** Text that ends with a nought byte. */
export function cString(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
}

/**
 * A device as NVML knows it, and what it turned out not to answer: that is asked once. Not supported means absent; lost,
 * and a library that does not fit the driver any more, end the reading.
 */
export class NvmlHandle {
  readonly #nvml: Nvml;
  readonly #handle: bigint;
  readonly #never = new Set<string>();
  /** Calls that answered, and the last code of one that should have: reset at every reading. */
  #answered = 0;
  #refused: number | undefined;

  constructor(nvml: Nvml, handle: bigint) {
    this.#nvml = nvml;
    this.#handle = handle;
  }

  get address(): bigint {
    return this.#handle;
  }

  /** Calls a function with the handle before what is given. `which` tells calls of one function apart. @throws GpuError */
  call(name: NvmlFunction, which: string | number, ...given: NvmlArgument[]): number {
    const code = this.#nvml.call(name, this.#handle, ...given);
    if (isLost(code)) throw new GpuError('lost', codeText(code));
    if (isStale(code)) throw new GpuError('stale', codeText(code));
    if (code === SUCCESS) this.#answered += 1;
    else if (isNever(code)) this.#never.add(`${name} ${which}`);
    else this.#refused = code;
    return code;
  }

  /** Whether this is worth a call: it has not said yet that it never answers. */
  mayAnswer(name: NvmlFunction, which: string | number = ''): boolean {
    return !this.#never.has(`${name} ${which}`);
  }

  /** Whether the call answered; one that never will is not made. @throws GpuError */
  answers(name: NvmlFunction, which: string | number, ...given: NvmlArgument[]): boolean {
    return this.mayAnswer(name, which) && this.call(name, which, ...given) === SUCCESS;
  }

  /** A 32-bit number that a function writes behind `before`. @throws GpuError */
  u32(name: NvmlFunction, ...before: number[]): number | undefined {
    const out = Buffer.alloc(4);
    return this.answers(name, before.join(' '), ...before, out) ? out.readUInt32LE() : undefined;
  }

  /** A 64-bit number that a function writes behind `before`. @throws GpuError */
  u64(name: NvmlFunction, ...before: number[]): bigint | undefined {
    const out = Buffer.alloc(8);
    return this.answers(name, before.join(' '), ...before, out) ? out.readBigUInt64LE() : undefined;
  }

  text(name: NvmlFunction): string | undefined {
    const out = Buffer.alloc(TEXT_BYTES);
    const text = this.answers(name, '', out, TEXT_BYTES) ? cString(out) : '';
    return text === '' ? undefined : text;
  }

  /** Begins a reading. */
  begin(): void {
    this.#answered = 0;
    this.#refused = undefined;
  }

  /** Why nothing at all answered; undefined when something did, or nothing was asked that should have. */
  refusal(): string | undefined {
    return this.#answered > 0 || this.#refused === undefined ? undefined : codeText(this.#refused);
  }
}
