import type { Page } from 'playwright-core';
import type { Stage } from '../stage.ts';

/** One picture, taken in both themes. */
export interface Shot {
  /** Name of the file; `npm run shots -- part` takes the pictures whose name holds the part. */
  readonly name: string;
  /** Where to go; a function looks up ids among the data first. */
  readonly path: string | ((stage: Stage) => Promise<string>);
  /** What must be on screen before the picture, and what to do for it. */
  readonly ready: string;
  readonly act?: (page: Page) => Promise<void>;
  readonly size?: { width: number; height: number };
  /** Taken before any data came: the first-run state. */
  readonly empty?: true;
}

/** The pictures of one feature. */
export interface ShotGroup {
  /** Taken of an installation of its own, without the demo's data, as its owner. */
  readonly owned?: true;
  /** As nobody all the same. */
  readonly nobody?: true;
  /** Data of its own besides the demo's; sent only when one of its pictures is taken. */
  readonly seed?: (stage: Stage) => Promise<void>;
  readonly shots: readonly Shot[];
}

/** Rows of a list, the usual sign that a page is ready. */
export const ROWS = '[role=row][aria-rowindex]';
export const NARROW = { width: 820, height: 1100 } as const;
/** The narrowest at which everything stands side by side, and a telephone. */
export const SMALL = { width: 1024, height: 768 } as const;
export const PHONE = { width: 390, height: 844 } as const;

/** The newest trace that fits the query and has the most spans. */
export async function traceOf(stage: Stage, q: string): Promise<string> {
  const response = await fetch(`${stage.platform.http}/api/telemetry/traces/search`, {
    method: 'POST',
    body: JSON.stringify({ q, sort: '-spanCount', limit: 1 }),
  });
  const { data } = (await response.json()) as { data: { traceId: string }[] };
  const first = data[0];
  if (first === undefined) throw new Error(`No trace of the demo fits ${q}.`);
  return first.traceId;
}
