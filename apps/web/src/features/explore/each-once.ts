/** Every row once, the first of each key: what arrived last stands above what was listed or arrived before. */
export function eachOnce<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    const key = keyOf(row);
    return !seen.has(key) && seen.add(key);
  });
}
