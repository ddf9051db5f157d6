import type { Frame } from '@candela/contract';
import { saveFile } from '../../lib/save-stream.ts';

/** A cell of a CSV file. What a spreadsheet would take for a formula is made a text. */
const cellOf = (cell: Frame['rows'][number][number] | undefined, kind: string): string => {
  if (cell === null || cell === undefined) return '';
  if (kind === 'time' && typeof cell === 'number') return new Date(cell).toISOString();
  if (typeof cell !== 'string') return String(cell);
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** The rows of a frame as CSV, times in ISO 8601. */
export const csvOf = ({ columns, rows }: Frame): string =>
  [
    columns.map(({ name }) => cellOf(name, 'text')).join(','),
    ...rows.map((row) => columns.map(({ kind }, at) => cellOf(row[at], kind)).join(',')),
  ].join('\r\n');

const fileName = (title: string, ending: string): string =>
  `${
    title
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-|-$/g, '')
      .toLowerCase()
      .slice(0, 80) || 'widget'
  }.${ending}`;

/** Saves the rows of a widget. The mark at the beginning tells a spreadsheet that it is UTF-8. */
export function saveCsv(title: string, frame: Frame): void {
  saveFile(new Blob(['\uFEFF', csvOf(frame)]), fileName(title, 'csv'), 'text/csv');
}

const STYLES = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'opacity',
  'font',
  'color',
  'text-anchor',
];
/** Pixels of a picture for one of the screen. */
const SHARP = 2;

/** Draws what a widget shows as PNG: its charts as they are, its texts where they stand. */
export async function savePicture(title: string, element: HTMLElement): Promise<void> {
  const area = element.getBoundingClientRect();
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(area.width * SHARP);
  canvas.height = Math.ceil((area.height + 28) * SHARP);
  const pen = canvas.getContext('2d');
  if (pen === null) return;
  pen.scale(SHARP, SHARP);
  const page = getComputedStyle(document.body);
  pen.fillStyle = getComputedStyle(element.closest('section') ?? element).backgroundColor;
  pen.fillRect(0, 0, area.width, area.height + 28);
  pen.fillStyle = page.color;
  pen.textBaseline = 'middle';
  pen.font = `600 13px ${page.fontFamily}`;
  pen.fillText(title, 8, 14);
  pen.translate(-area.left, 28 - area.top);
  // What goes beyond the widget is not drawn over its title; half of a label of the axis does.
  pen.beginPath();
  pen.rect(area.left, area.top - 8, area.width, area.height + 8);
  pen.clip();
  drawBoxes(pen, element);
  for (const svg of element.querySelectorAll('svg')) await drawSvg(pen, svg);
  drawTexts(pen, element);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob !== null) saveFile(blob, fileName(title, 'png'), 'image/png');
}

/** Elements that are seen: what a list has scrolled out of sight is not. */
function* seenIn(element: HTMLElement): Generator<HTMLElement> {
  for (const box of element.querySelectorAll<HTMLElement>(':not(svg, svg *, .sr-only, .sr-only *)'))
    if (isSeen(box, element)) yield box;
}

function isSeen(box: HTMLElement, within: HTMLElement): boolean {
  return !isScrolledOut(box.getBoundingClientRect(), box.parentElement, within);
}

function isScrolledOut({ top, bottom }: DOMRect, from: HTMLElement | null, within: HTMLElement): boolean {
  for (let around = from; around !== null; around = around.parentElement) {
    if (getComputedStyle(around).overflowY !== 'visible') {
      const edges = around.getBoundingClientRect();
      if (bottom <= edges.top || top >= edges.bottom) return true;
    }
    if (around === within) break;
  }
  return false;
}

/** Where what is around an element cuts it off at its right. */
function edgeOf(box: HTMLElement, within: HTMLElement): number {
  let edge = Number.POSITIVE_INFINITY;
  for (let at: HTMLElement | null = box; at !== null && at !== within; at = at.parentElement)
    if (getComputedStyle(at).overflowX !== 'visible') edge = Math.min(edge, at.getBoundingClientRect().right);
  return edge;
}

/** How much of an element shows through, with all that is around it. */
function opacityOf(box: HTMLElement, within: HTMLElement): number {
  let opacity = 1;
  for (let at: HTMLElement | null = box; at !== null && at !== within; at = at.parentElement)
    opacity *= Number(getComputedStyle(at).opacity);
  return opacity;
}

/** Backgrounds and borders outside of drawings: bars, marks, lines of a grid and of a table. */
function drawBoxes(pen: CanvasRenderingContext2D, element: HTMLElement): void {
  for (const box of seenIn(element)) {
    const { left, top, right, bottom, width, height } = box.getBoundingClientRect();
    const look = getComputedStyle(box);
    const fill = (colour: string, ...area: readonly [number, number, number, number]) => {
      pen.fillStyle = colour;
      pen.fillRect(...area);
    };
    const thick = {
      top: Number.parseFloat(look.borderTopWidth),
      right: Number.parseFloat(look.borderRightWidth),
      bottom: Number.parseFloat(look.borderBottomWidth),
      left: Number.parseFloat(look.borderLeftWidth),
    };
    pen.globalAlpha = opacityOf(box, element);
    fill(look.backgroundColor, left, top, width, height);
    fill(look.borderTopColor, left, top, width, thick.top);
    fill(look.borderRightColor, right - thick.right, top, thick.right, height);
    fill(look.borderBottomColor, left, bottom - thick.bottom, width, thick.bottom);
    fill(look.borderLeftColor, left, top, thick.left, height);
  }
  pen.globalAlpha = 1;
}

async function drawSvg(pen: CanvasRenderingContext2D, svg: SVGSVGElement): Promise<void> {
  const { left, top, width, height } = svg.getBoundingClientRect();
  if (width === 0 || height === 0) return;
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const [from, to] = [
    [svg, ...svg.querySelectorAll('*')],
    [copy, ...copy.querySelectorAll('*')],
  ];
  for (const [index, original] of from.entries()) {
    const look = getComputedStyle(original);
    for (const style of STYLES) to[index]?.setAttribute(style, look.getPropertyValue(style));
    to[index]?.removeAttribute('class');
    to[index]?.removeAttribute('style');
  }
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  try {
    await image.decode();
    pen.drawImage(image, left, top, width, height);
  } catch {
    // A browser that cannot draw one chart still saves the rest.
  }
}

/** A text line by line, each with where it stands: the head of a narrow column takes several. */
function* linesOf(node: Node): Generator<{ readonly text: string; readonly box: DOMRect }> {
  const text = node.textContent ?? '';
  const range = document.createRange();
  range.selectNodeContents(node);
  if (range.getClientRects().length < 2) {
    yield { text, box: range.getBoundingClientRect() };
    return;
  }
  const line = { from: 0, to: 0, top: Number.NaN };
  const cut = () => {
    range.setStart(node, line.from);
    range.setEnd(node, line.to);
    return { text: text.slice(line.from, line.to), box: range.getBoundingClientRect() };
  };
  let at = 0;
  for (const letter of text) {
    range.setStart(node, at);
    range.setEnd(node, at + letter.length);
    const { width, top } = range.getBoundingClientRect();
    // The space that a line breaks at stands nowhere.
    if (width > 0 && top !== line.top) {
      if (line.to > line.from) yield cut();
      Object.assign(line, { from: at, top });
    }
    at += letter.length;
    if (width > 0) line.to = at;
  }
  if (line.to > line.from) yield cut();
}

/** Texts outside of drawings, where they stand. */
function drawTexts(pen: CanvasRenderingContext2D, element: HTMLElement): void {
  const drawn = new Set<Element>();
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement;
    if ((node.textContent ?? '').trim() === '' || parent === null || parent.closest('svg, .sr-only') !== null)
      continue;
    if (!isSeen(parent, element)) continue;
    // A name that is cut in its middle has its end from the style sheet: it is drawn once, whole.
    const name = parent.closest('.middle-truncation');
    if (name !== null && drawn.has(name)) continue;
    if (name !== null) drawn.add(name);
    const look = getComputedStyle(parent);
    pen.fillStyle = look.color;
    pen.font = `${look.fontWeight} ${look.fontSize} ${look.fontFamily}`;
    const lines =
      name === null ? linesOf(node) : [{ text: name.textContent ?? '', box: name.getBoundingClientRect() }];
    for (const { text, box } of lines) {
      const { left, top, width, height } = box;
      if (width === 0 || isScrolledOut(box, parent, element)) continue;
      pen.save();
      pen.beginPath();
      pen.rect(left, top, Math.min(width, edgeOf(parent, element) - left) + 1, height);
      pen.clip();
      pen.fillText(text.replaceAll(/\s+/g, ' '), left, top + height / 2, width + 1);
      pen.restore();
    }
  }
}
