import type { QueryKind } from './limits.ts';
import type { Params } from './params.ts';

/** What is asked beside a list and looks at every row of the window. */
const BESIDE_LISTS: ReadonlySet<QueryKind> = new Set(['chart', 'facets', 'compare'] satisfies QueryKind[]);

/** Who asks. */
export interface Asking {
  readonly kind: QueryKind;
  /** First rows, which a person waits for. */
  readonly hurried?: boolean;
}

const FIRST = 1;
const AFTER_LISTS = 2;
/** The engine knows no end of them; a number that nobody reaches keeps what is sent a number. */
const LAST = 1_000;

/**
 * Who goes first in the engine. Charts and facets of a page are asked together with its list; where they read attributes or texts
 * of every row they stand still while the rows are found, which take a hundredth of their time. Those that read texts take
 * seconds each: they run one after the other as they came, so that the first is there after its own time, not after that of all.
 * What a sample tells of them takes a fraction of it: that comes after the first rows, beside the rest of the page.
 */
export class Turns {
  #scans = 0;

  /** Runs a statement in its turn: `run` gets the priority to ask with, 1 first. */
  async take<T>(
    { kind, hurried = false }: Asking,
    params: Params,
    run: (priority: number) => Promise<T>,
  ): Promise<T> {
    const { readsTexts, readsMaps } = params;
    if (!BESIDE_LISTS.has(kind)) {
      const isRest = kind === 'list' && readsTexts && !hurried;
      return await run(isRest ? AFTER_LISTS : FIRST);
    }
    if (params.isSample) return await run(AFTER_LISTS);
    if (!readsTexts) return await run(readsMaps ? AFTER_LISTS : FIRST);
    this.#scans += 1;
    try {
      return await run(Math.min(AFTER_LISTS + this.#scans, LAST));
    } finally {
      this.#scans -= 1;
    }
  }
}
