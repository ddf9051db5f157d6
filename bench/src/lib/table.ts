/** One measured figure: what, how much, and what it is held against. */
export interface Figure {
  readonly what: string;
  readonly value: string;
  /** The goal, the ceiling of the same run, or empty. */
  readonly against: string;
}

/** What one bench found. */
export interface Findings {
  readonly bench: string;
  readonly command: string;
  readonly figures: readonly Figure[];
  /** Sentences about how it was measured. */
  readonly notes: readonly string[];
}

/** Figures as a Markdown table, aligned so that it also reads well in a terminal. */
export function markdownTable(figures: readonly Figure[]): string {
  const rows = [
    ['what', 'measured', 'against'],
    ...figures.map(({ what, value, against }) => [what, value, against]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

export const thousands = (value: number, digits = 0): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: digits });

export const mebibytes = (bytes: number): string => `${thousands(bytes / 1024 ** 2)} MiB`;
