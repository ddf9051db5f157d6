/** A member of a reading that is there only when it is known. */
export const defined = <K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> =>
  value === undefined ? {} : ({ [key]: value } as Partial<Record<K, V>>);

export const positive = (value: number | undefined): number | undefined =>
  value === undefined || value <= 0 ? undefined : value;
