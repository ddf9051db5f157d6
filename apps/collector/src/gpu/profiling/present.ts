type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the keys that have no value. */
export function present<T extends Readonly<Record<string, unknown>>>(values: T): Present<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Present<T>;
}

/** A value of 0 to `of` as a share of it; a little more than all is all. */
export const share = (value: number | undefined, of = 1): number | undefined =>
  value === undefined ? undefined : Math.min(1, value / of);
