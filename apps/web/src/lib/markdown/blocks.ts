import { labelOf, type References, unescaped } from './inlines.ts';

export interface ListItem {
  /** Of a task; absent where it is none. */
  readonly checked?: boolean;
  readonly blocks: readonly Block[];
}

/** A piece of a text; its words are read by `parseInlines`. */
export type Block =
  | { readonly type: 'paragraph'; readonly text: string }
  | { readonly type: 'heading'; readonly level: number; readonly text: string }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'rule' }
  | { readonly type: 'quote'; readonly blocks: readonly Block[] }
  | {
      readonly type: 'list';
      /** Number of its first item; absent where they have none. */
      readonly start?: number;
      /** Its items stand close together: their words are no paragraphs. */
      readonly tight: boolean;
      readonly items: readonly ListItem[];
    }
  | {
      readonly type: 'table';
      readonly align: readonly ('left' | 'center' | 'right' | undefined)[];
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    };

/** Quotes and lists nest no deeper: what is said deeper is a paragraph. */
const MOST_DEPTH = 16;
const TAB = 4;

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const HEADING = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const MARKER = /^( {0,3})([-*+]|\d{1,9}[.)])(?=[ \t]|$)/;
const UNDERLINE = /^ {0,3}(?:(=+)|-+)[ \t]*$/;
const DASHES = /^[ \t]*:?-+:?[ \t]*$/;
const DEFINITION =
  /^ {0,3}\[((?!\^)(?:[^[\]\\]|\\.){1,200})\]:[ \t]*(?:<([^<>]*)>|(\S+))(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$/;

const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === '';
const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Tabs before the text of a line as the spaces they stand for. */
function detabbed(line: string): string {
  if (!/^ *\t/.test(line)) return line;
  let column = 0;
  let index = 0;
  for (; line[index] === ' ' || line[index] === '\t'; index += 1)
    column += line[index] === '\t' ? TAB - (column % TAB) : 1;
  return ' '.repeat(column) + line.slice(index);
}

function fenceOf(line: string): { mark: string; indent: number } | undefined {
  const [, mark, rest = ''] = FENCE.exec(line) ?? [];
  if (mark === undefined || (mark.startsWith('`') && rest.includes('`'))) return undefined;
  return { mark, indent: indentOf(line) };
}

const closes = (line: string, fence: { mark: string }): boolean => {
  const end = line.trim();
  return (
    indentOf(line) < 4 &&
    end.length >= fence.mark.length &&
    end === (fence.mark[0] as string).repeat(end.length)
  );
};

/** The cells of a row of a table; a bar after a backslash is one of the text. */
function cellsOf(line: string): string[] {
  const inner = line.trim();
  const cells: string[] = [];
  let from = inner.startsWith('|') ? 1 : 0;
  for (let index = from; index < inner.length; index += 1) {
    if (inner[index] === '\\') index += 1;
    else if (inner[index] === '|') {
      cells.push(inner.slice(from, index));
      from = index + 1;
    }
  }
  if (from < inner.length) cells.push(inner.slice(from));
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** Where the columns of a table stand, if a row and the one below it begin one. */
function columnsOf(line: string, below: string | undefined) {
  if (below === undefined || !below.includes('-') || !(line.includes('|') || below.includes('|')))
    return undefined;
  if (indentOf(line) >= 4 || indentOf(below) >= 4) return undefined;
  if (!/^[ \t]*[|:-]/.test(below) || !/[|:]/.test(below)) return undefined;
  const dashes = cellsOf(below);
  if (!dashes.every((cell) => DASHES.test(cell)) || dashes.length !== cellsOf(line).length) return undefined;
  return dashes.map((cell) => {
    if (cell.endsWith(':')) return cell.startsWith(':') ? 'center' : 'right';
    return cell.startsWith(':') ? 'left' : undefined;
  });
}

/** Whether a line begins a block also right below the words of a paragraph. */
function interrupts(line: string): boolean {
  if (RULE.test(line) || QUOTE.test(line) || HEADING.test(line) || fenceOf(line)) return true;
  const [found, , marker = ''] = MARKER.exec(line) ?? [];
  return found !== undefined && !isBlank(line.slice(found.length)) && /^(?:[-*+]|1[.)])$/.test(marker);
}

/** The lines that a quote or an item has so far. */
class Taken {
  readonly lines: string[] = [];
  #fence: { mark: string } | undefined;
  #isWords = false;

  add(line: string): void {
    const fence = this.#fence ?? fenceOf(line);
    const isEnd = this.#fence !== undefined && closes(line, this.#fence);
    this.#fence = isEnd ? undefined : fence;
    this.#isWords =
      fence === undefined && !isBlank(line) && !RULE.test(line) && !HEADING.test(line) && indentOf(line) < 4;
    this.lines.push(line);
  }

  /** Whether words at its end may go on in a line that lacks the marks of the quote or the indent of the item. */
  goesOn(line: string): boolean {
    return this.#isWords && !isBlank(line) && !interrupts(line) && !MARKER.test(line);
  }
}

interface Parsed {
  readonly blocks: Block[];
  /** A blank line stands between two of them. */
  readonly gap: boolean;
}

class BlockParser {
  readonly references = new Map<string, string>();

  parse(lines: readonly string[], depth: number): Parsed {
    const blocks: Block[] = [];
    let gap = false;
    let blank = false;
    for (let index = 0; index < lines.length; ) {
      if (isBlank(lines[index])) {
        blank = blocks.length > 0;
        index += 1;
        continue;
      }
      const count = blocks.length;
      index = this.#block(lines, index, depth, blocks);
      if (blocks.length > count) {
        gap ||= blank;
        blank = false;
      }
    }
    return { blocks, gap };
  }

  /** Reads the block that begins at a line; the line behind it. */
  #block(lines: readonly string[], index: number, depth: number, into: Block[]): number {
    const line = lines[index] as string;
    if (indentOf(line) >= 4) return this.#indented(lines, index, into);
    if (fenceOf(line)) return this.#fenced(lines, index, into);
    const [, marks] = HEADING.exec(line) ?? [];
    if (marks !== undefined) {
      into.push({ type: 'heading', level: marks.length, text: headingText(line, marks) });
      return index + 1;
    }
    if (RULE.test(line)) {
      into.push({ type: 'rule' });
      return index + 1;
    }
    if (depth < MOST_DEPTH && QUOTE.test(line)) return this.#quote(lines, index, depth, into);
    if (depth < MOST_DEPTH && MARKER.test(line)) return this.#list(lines, index, depth, into);
    if (columnsOf(line, lines[index + 1])) return this.#table(lines, index, into);
    return this.#paragraph(lines, index, depth, into);
  }

  #indented(lines: readonly string[], start: number, into: Block[]): number {
    let index = start;
    while (index < lines.length && (isBlank(lines[index]) || indentOf(lines[index] as string) >= 4))
      index += 1;
    let end = index;
    while (isBlank(lines[end - 1])) end -= 1;
    const text = lines.slice(start, end).map((line) => line.slice(4));
    into.push({ type: 'code', text: text.join('\n') });
    return end;
  }

  #fenced(lines: readonly string[], start: number, into: Block[]): number {
    const fence = fenceOf(lines[start] as string) as { mark: string; indent: number };
    let end = start + 1;
    while (end < lines.length && !closes(lines[end] as string, fence)) end += 1;
    const text = lines
      .slice(start + 1, end)
      .map((line) => line.slice(Math.min(fence.indent, indentOf(line))))
      .join('\n');
    into.push({ type: 'code', text });
    return end + 1;
  }

  #quote(lines: readonly string[], start: number, depth: number, into: Block[]): number {
    const taken = new Taken();
    let index = start;
    for (; index < lines.length; index += 1) {
      const line = lines[index] as string;
      const isMarked = QUOTE.test(line);
      if (!isMarked && !taken.goesOn(line)) break;
      taken.add(isMarked ? detabbed(line.replace(QUOTE, '')) : line.trimStart());
    }
    into.push({ type: 'quote', blocks: this.parse(taken.lines, depth + 1).blocks });
    return index;
  }

  #list(lines: readonly string[], start: number, depth: number, into: Block[]): number {
    const [, , first = ''] = MARKER.exec(lines[start] as string) ?? [];
    const items: ListItem[] = [];
    let tight = true;
    let index = start;
    while (index < lines.length) {
      const line = lines[index] as string;
      const [, , marker] = MARKER.exec(line) ?? [];
      if (marker === undefined || marker.at(-1) !== first.at(-1) || RULE.test(line)) break;
      const { taken, end } = itemLines(lines, index);
      const { blocks, gap } = this.parse(taken, depth + 1);
      items.push(taskOf(blocks));
      let next = end;
      while (next < lines.length && isBlank(lines[next])) next += 1;
      const [, , following] = MARKER.exec(lines[next] ?? '') ?? [];
      const isSame =
        following !== undefined && following.at(-1) === first.at(-1) && !RULE.test(lines[next] as string);
      if (gap || (isSame && next > end)) tight = false;
      index = isSame ? next : end;
      if (!isSame) break;
    }
    const start1 = Number.parseInt(first, 10);
    into.push({ type: 'list', tight, items, ...(Number.isNaN(start1) ? {} : { start: start1 }) });
    return index;
  }

  #table(lines: readonly string[], start: number, into: Block[]): number {
    const head = cellsOf(lines[start] as string);
    const align = columnsOf(lines[start] as string, lines[start + 1]) ?? [];
    const rows: string[][] = [];
    let index = start + 2;
    for (; index < lines.length && !isBlank(lines[index]); index += 1) {
      const line = lines[index] as string;
      if (interrupts(line) || indentOf(line) >= 4) break;
      const cells = cellsOf(line);
      rows.push(head.map((_, column) => cells[column] ?? ''));
    }
    into.push({ type: 'table', align, head, rows });
    return index;
  }

  #paragraph(lines: readonly string[], start: number, depth: number, into: Block[]): number {
    const text: string[] = [];
    let index = start;
    for (; index < lines.length && !isBlank(lines[index]); index += 1) {
      const line = lines[index] as string;
      if (index > start) {
        const [underline, strong] = text.length > 0 ? (UNDERLINE.exec(line) ?? []) : [];
        if (underline !== undefined) {
          into.push({ type: 'heading', level: strong === undefined ? 2 : 1, text: text.join('\n') });
          return index + 1;
        }
        if (depth < MOST_DEPTH && (interrupts(line) || columnsOf(line, lines[index + 1]))) break;
      }
      const [found, label = '', pointed, bare] = text.length === 0 ? (DEFINITION.exec(line) ?? []) : [];
      if (found === undefined) text.push(line.trimStart());
      else if (!this.references.has(labelOf(label)))
        this.references.set(labelOf(label), unescaped(pointed ?? bare ?? ''));
    }
    if (text.length > 0) into.push({ type: 'paragraph', text: text.join('\n').trimEnd() });
    return index;
  }
}

/** The words of `## title ##`. */
function headingText(line: string, marks: string): string {
  const text = line.trimStart().slice(marks.length).trim();
  let end = text.length;
  while (text[end - 1] === '#') end -= 1;
  return end === 0 || /[ \t]/.test(text[end - 1] as string) ? text.slice(0, end).trimEnd() : text;
}

/** Lines of the item that begins at one, without its marker and its indent, and the line behind them. */
function itemLines(lines: readonly string[], start: number): { taken: string[]; end: number } {
  const first = lines[start] as string;
  const marker = MARKER.exec(first)?.[0].length ?? 0;
  // Tabs are told before the marker is cut off: they reach to columns of the line.
  const rest = detabbed(' '.repeat(marker) + first.slice(marker)).slice(marker);
  const room = indentOf(rest);
  const indent = marker + (isBlank(rest) || room > 4 ? 1 : room);
  const taken = new Taken();
  taken.add(rest.slice(indent - marker));
  let index = start + 1;
  // Nothing but a marker, and nothing in the line below it.
  if (isBlank(rest) && isBlank(lines[index])) return { taken: [], end: index };
  for (; index < lines.length; index += 1) {
    const line = lines[index] as string;
    const isInside = isBlank(line) || indentOf(line) >= indent;
    if (!isInside && !taken.goesOn(line)) break;
    taken.add(isInside ? line.slice(indent) : line.trimStart());
  }
  let end = index;
  while (end - 1 > start && isBlank(lines[end - 1])) end -= 1;
  return { taken: taken.lines.slice(0, end - start), end };
}

/** An item that begins with `[ ]` or `[x]` is a task. */
function taskOf(blocks: readonly Block[]): ListItem {
  const [first, ...others] = blocks;
  const [found, tick] = first?.type === 'paragraph' ? (/^\[([ xX])\](?=\s)\s*/.exec(first.text) ?? []) : [];
  if (first?.type !== 'paragraph' || found === undefined) return { blocks };
  const words: Block = { type: 'paragraph', text: first.text.slice(found.length) };
  return { checked: tick !== ' ', blocks: [words, ...others] };
}

/** Reads a text as CommonMark and GFM do, but for raw HTML and footnotes: those are words. Every text is one. */
export function parseBlocks(text: string): { blocks: readonly Block[]; references: References } {
  const parser = new BlockParser();
  const lines = text
    .replaceAll('\0', '\u{fffd}')
    .split(/\r\n?|\n/)
    .map(detabbed);
  return { blocks: parser.parse(lines, 0).blocks, references: parser.references };
}
