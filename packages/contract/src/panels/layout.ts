/** Where a widget lies on the grid of a board. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** A widget's place by its id. */
export interface Placed extends Place {
  readonly id: string;
}

/** Columns of the grid, and the largest height and row of a widget. */
export const GRID = { columns: 12, maxHeight: 24, maxRow: 2_000 } as const;

const overlap = (a: Place, b: Place): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/** Reading order: from the top, then from the left. */
export const inReadingOrder = <T extends Placed>(items: readonly T[]): T[] =>
  [...items].sort((a, b) => a.y - b.y || a.x - b.x || (a.id < b.id ? -1 : 1));

/** The first two widgets that lie on each other; undefined: none do. */
export function firstOverlap(items: readonly Placed[]): readonly [string, string] | undefined {
  for (const [index, item] of items.entries()) {
    const other = items.slice(index + 1).find((one) => overlap(item, one));
    if (other !== undefined) return [item.id, other.id];
  }
  return undefined;
}

const whole = (value: number, low: number, high: number): number =>
  Math.min(high, Math.max(low, Number.isFinite(value) ? Math.round(value) : low));

/** The nearest place that the grid has. */
export function clamped<T extends Place>(item: T): T {
  const w = whole(item.w, 1, GRID.columns);
  return {
    ...item,
    w,
    h: whole(item.h, 1, GRID.maxHeight),
    x: whole(item.x, 0, GRID.columns - w),
    y: whole(item.y, 0, GRID.maxRow),
  };
}

/**
 * Lifts every widget as far as it goes without passing another of its columns. No two lie on each other afterwards,
 * doing it again changes nothing, and what lay in reading order stays in it. `first` keeps its place against others.
 */
export function compacted<T extends Placed>(items: readonly T[], first?: string): T[] {
  const ordered = inReadingOrder(items.map(clamped));
  const settled: T[] = [];
  const held = ordered.find(({ id }) => id === first);
  const queue = held === undefined ? ordered : [held, ...ordered.filter((one) => one !== held)];
  for (const item of queue) {
    const others = settled;
    const fits = (y: number) => !others.some((one) => overlap({ ...item, y }, one));
    let y = item.y;
    // Pushed down by what lies there already.
    while (!fits(y)) y += 1;
    settled.push({ ...item, y });
  }
  // Then everything rises, from the top.
  const risen: T[] = [];
  for (const item of inReadingOrder(settled)) {
    let y = item.y;
    while (y > 0 && !risen.some((one) => overlap({ ...item, y: y - 1 }, one))) y -= 1;
    risen.push({ ...item, y });
  }
  return inReadingOrder(risen);
}

/** Moves or resizes one widget; the others make room. */
export function placed<T extends Placed>(items: readonly T[], id: string, to: Partial<Place>): T[] {
  return compacted(
    items.map((item) => (item.id === id ? clamped({ ...item, ...to }) : item)),
    id,
  );
}

/** Adds a widget below all others, in the first columns that are free there. */
export function nextPlace(items: readonly Placed[], size: { readonly w: number; readonly h: number }): Place {
  const bottom = Math.max(0, ...items.map(({ y, h }) => y + h));
  for (let y = 0; y <= bottom; y += 1)
    for (let x = 0; x + size.w <= GRID.columns; x += 1)
      if (!items.some((one) => overlap({ ...size, x, y }, one))) return { ...size, x, y };
  return { ...size, x: 0, y: bottom };
}
