/**
 * Every row once: what arrived by the live stream, the last first, stands above what was listed. A row that was listed, too,
 * is shown as the list has it, which knows more of it than the stream; but never as running when it has ended.
 */
export function eachOnce<Row>(
  arrived: readonly Row[],
  listed: readonly Row[],
  keyOf: (row: Row) => string,
  isRunning: (row: Row) => boolean = () => false,
): Row[] {
  const byKey = new Map(listed.map((row) => [keyOf(row), row]));
  const known = (row: Row): Row => {
    const other = byKey.get(keyOf(row));
    return other === undefined || (isRunning(other) && !isRunning(row)) ? row : other;
  };
  const seen = new Set<string>();
  return [...arrived.map(known), ...listed].filter((row) => {
    const key = keyOf(row);
    return !seen.has(key) && seen.add(key);
  });
}
