/**
 * Values over time in at most so many places, the highest of each: what lasted a minute stays as high as it was, where a
 * sum or a mean would lay it flat. A place without a value is null.
 */
export function peaks(values: readonly (number | null)[], places: number): (number | null)[] {
  if (values.length <= places) return [...values];
  return Array.from({ length: places }, (_, place) => {
    const from = Math.floor((place * values.length) / places);
    const to = Math.floor(((place + 1) * values.length) / places);
    return values
      .slice(from, to)
      .reduce((most, value) => (value === null ? most : Math.max(most ?? value, value)), null);
  });
}
