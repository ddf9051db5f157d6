import type { Card } from '../drm/card.ts';
import { driverNames, driverText } from '../drm/driver-files.ts';
import { HeldSum } from '../drm/held-sum.ts';

const MAX_FILES = 128;
const MAX_COUNT_BYTES = 1_024;
const MAX_PAGES_BYTES = 1_048_576;

/** `ue: 1` and `ce: 2`, a line each; newer drivers add `de`, which has been put right before anybody noticed. */
export function parseErrorCount(text: string): { readonly ue?: bigint; readonly ce?: bigint } {
  const count = (word: string): bigint | undefined => {
    const match = new RegExp(`^${word}:\\s*(\\d{1,19})\\s*$`, 'm').exec(text);
    return match?.[1] === undefined ? undefined : BigInt(match[1]);
  };
  const ue = count('ue');
  const ce = count('ce');
  return { ...(ue === undefined ? {} : { ue }), ...(ce === undefined ? {} : { ce }) };
}

/** Lines `address : size : state`: P is to be retired, F could not be, R is. */
export const hasPendingPages = (text: string): boolean =>
  /^0x[0-9a-f]+\s*:\s*0x[0-9a-f]+\s*:\s*[PF]\s*$/im.test(text);

export interface RasReading {
  readonly corrected: bigint | undefined;
  readonly uncorrected: bigint | undefined;
  /** Memory waits to be taken out of use; undefined when nobody tells. */
  readonly pending: boolean | undefined;
}

/** Errors that the blocks of the chip have met (`ras/<block>_err_count`). */
export class Ras {
  readonly #path: string;
  readonly #corrected = new HeldSum();
  readonly #uncorrected = new HeldSum();

  constructor({ path }: Card) {
    this.#path = `${path}/ras`;
  }

  read(): RasReading {
    const corrected = new Map<string, bigint>();
    const uncorrected = new Map<string, bigint>();
    for (const name of driverNames(this.#path, MAX_FILES)) {
      if (!name.endsWith('_err_count')) continue;
      const { ue, ce } = parseErrorCount(driverText(`${this.#path}/${name}`, MAX_COUNT_BYTES) ?? '');
      if (ue !== undefined) uncorrected.set(name, ue);
      if (ce !== undefined) corrected.set(name, ce);
    }
    const pages = driverText(`${this.#path}/gpu_vram_bad_pages`, MAX_PAGES_BYTES);
    return {
      corrected: this.#corrected.add(corrected),
      uncorrected: this.#uncorrected.add(uncorrected),
      pending: pages === undefined ? undefined : hasPendingPages(pages),
    };
  }
}
