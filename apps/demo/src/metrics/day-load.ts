const DAY_MS = 86_400_000;

/** How busy people are at that time of day (UTC), 0.15 at night to 1 in the afternoon. */
export function dayLoad(atMs: number): number {
  const phase = ((atMs % DAY_MS) / DAY_MS) * 2 * Math.PI;
  return 0.575 - 0.425 * Math.cos(phase - Math.PI / 6);
}
