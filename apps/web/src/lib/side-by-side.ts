interface ComparedPart {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Lines that are alike in what became of them, as they are found here or told by the server. */
export interface ComparedBlock extends ComparedPart {
  readonly words?: readonly ComparedPart[] | undefined;
}

/** A stretch of a line, and whether the other side does not have it. */
export interface LinePart {
  readonly text: string;
  readonly changed: boolean;
}

export interface SideLine {
  readonly number: number;
  readonly parts: readonly LinePart[];
}

/** A line of both sides; one side is null where the other has more lines. */
export interface SideRow {
  readonly same: boolean;
  readonly left: SideLine | null;
  readonly right: SideLine | null;
}

/** What changed from one text to another, line beside line; in lines that were replaced the words that differ. */
export function sideBySide(blocks: readonly ComparedBlock[]): SideRow[] {
  const rows: SideRow[] = [];
  let left = 1;
  let right = 1;
  for (let at = 0; at < blocks.length; at++) {
    const block = blocks[at];
    if (block === undefined) break;
    const lines = linesOf(block);
    if (block.kind === 'same') {
      for (const parts of lines)
        rows.push({ same: true, left: { number: left++, parts }, right: { number: right++, parts } });
      continue;
    }
    // Lines that went and lines that came in their place stand beside each other.
    const next = blocks[at + 1];
    const other = next !== undefined && next.kind !== 'same' && next.kind !== block.kind ? next : undefined;
    if (other !== undefined) at++;
    const others = other === undefined ? [] : linesOf(other);
    const [gone, come] = block.kind === 'removed' ? [lines, others] : [others, lines];
    for (let line = 0; line < Math.max(gone.length, come.length); line++) {
      const [was, is] = [gone[line], come[line]];
      rows.push({
        // The last line of a text has no line end: with lines after it now it is still the same line.
        same: was !== undefined && is !== undefined && textOf(was) === textOf(is),
        left: was === undefined ? null : { number: left++, parts: was },
        right: is === undefined ? null : { number: right++, parts: is },
      });
    }
  }
  return rows;
}

const textOf = (parts: readonly LinePart[]): string => parts.map((part) => part.text).join('');

/** The lines of a block, each as the stretches it consists of. */
function linesOf(block: ComparedBlock): LinePart[][] {
  const lines: LinePart[][] = [[]];
  for (const { kind, text } of block.words ?? [block]) {
    const [first = '', ...rest] = text.split('\n');
    const part = (stretch: string) => ({ text: stretch, changed: kind !== 'same' });
    if (first !== '') lines.at(-1)?.push(part(first));
    for (const stretch of rest) lines.push(stretch === '' ? [] : [part(stretch)]);
  }
  if (lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

/** Rows as they are shown: long stretches that are the same on both sides are folded to how many they are. */
export type ShownRow =
  | { readonly kind: 'row'; readonly row: SideRow }
  | { readonly kind: 'fold'; readonly at: number; readonly rows: readonly SideRow[] };

/** Lines that stay in sight on both sides of a change. */
const AROUND = 3;

export function folded(rows: readonly SideRow[]): ShownRow[] {
  const shown: ShownRow[] = [];
  let at = 0;
  while (at < rows.length) {
    let end = at;
    while (end < rows.length && rows[end]?.same === true) end++;
    const from = at === 0 ? 0 : Math.min(end, at + AROUND);
    const to = end === rows.length ? end : Math.max(from, end - AROUND);
    if (to - from > AROUND) {
      shown.push(...rows.slice(at, from).map(asRow));
      shown.push({ kind: 'fold', at: from, rows: rows.slice(from, to) });
      shown.push(...rows.slice(to, end).map(asRow));
    } else shown.push(...rows.slice(at, end).map(asRow));
    for (at = end; rows[at]?.same === false; at++) shown.push(...rows.slice(at, at + 1).map(asRow));
  }
  return shown;
}

const asRow = (row: SideRow): ShownRow => ({ kind: 'row', row });
