/** A query of the metrics explorer as its URL writes it. */
export function printedQuery(metric: string, more: Readonly<Record<string, string>> = {}): string {
  return new URLSearchParams({ metric, ...more }).toString();
}
