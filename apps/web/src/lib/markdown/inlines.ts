/** What a line of text is made of: words and what stands within them. Raw HTML is no part of it: it is words. */
export type Inline =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'break' }
  | { readonly type: 'image'; readonly src: string; readonly alt: string }
  | {
      readonly type: 'link';
      readonly href: string;
      readonly children: readonly Inline[];
      readonly depth: number;
    }
  | {
      readonly type: 'em' | 'strong' | 'del';
      readonly children: readonly Inline[];
      readonly depth: number;
    };

/** Targets that links name elsewhere in the text, by `labelOf` their names. */
export type References = ReadonlyMap<string, string>;

/** Emphasis and links nest no deeper: what is said deeper is text. */
const MOST_DEPTH = 24;
const MOST_PARENTHESES = 32;

/** What is parsed so far, in order: emphasis is found later and takes the cells between its two ends. */
interface Cell {
  inline: Inline;
  next: Cell | undefined;
}

/** A run of `*`, `_` or `~` that may open or close emphasis. */
interface Run {
  readonly seq: number;
  readonly cell: Cell;
  readonly mark: string;
  /** Marks it was written with, and those left. */
  readonly size: number;
  left: number;
  readonly opens: boolean;
  readonly closes: boolean;
}

interface Bracket {
  readonly cell: Cell;
  readonly isImage: boolean;
  /** Where its words begin. */
  readonly from: number;
  /** Runs before it. */
  readonly below: number;
  active: boolean;
}

const SPECIAL = /[\\`*_~[\]!<&\n]|https?:\/\/|www\./giy;
const PLAIN = /(?:(?!https?:\/\/|www\.)[^\\`*_~[\]!<&\n])+/giy;
const ESCAPABLE = /[!-/:-@[-`{-~]/;
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z][a-z\d]{1,31}));/iy;
const AUTOLINK = /<([a-z][a-z\d+.-]{1,31}:[^\s<>]*)>/iy;
const AUTOMAIL = /<([\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){1,8})>/iy;
const ADDRESS = /(?:https?:\/\/|www\.)[^\s<]+/iy;
const SPACE = /\s/;
const PUNCTUATION = /[\p{P}\p{S}]/u;

/** Names of characters that people and models write; others stay as they are written. */
const NAMED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: '\u{a0}',
    copy: '©',
    reg: '®',
    trade: '™',
    hellip: '…',
    mdash: '—',
    ndash: '–',
    lsquo: '‘',
    rsquo: '’',
    ldquo: '“',
    rdquo: '”',
    bull: '•',
    middot: '·',
    times: '×',
    deg: '°',
    euro: '€',
    rarr: '→',
    larr: '←',
    le: '≤',
    ge: '≥',
    ne: '≠',
  }),
);

/** What stands at a place, by a sticky expression. */
function at(expression: RegExp, text: string, index: number): RegExpExecArray | null {
  expression.lastIndex = index;
  return expression.exec(text);
}

/** The name of a reference as names are compared. */
export const labelOf = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase();

function decoded(entity: RegExpExecArray): string {
  const [written, decimal, hex, name] = entity;
  if (name !== undefined) return NAMED.get(name) ?? written;
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  return code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)
    ? '\u{fffd}'
    : String.fromCodePoint(code);
}

/** Words as they are meant: without the backslashes before punctuation, entities read. */
export function unescaped(text: string): string {
  return text.replace(
    /\\([!-/:-@[-`{-~])|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi,
    (found, mark) => {
      if (mark !== undefined) return mark;
      const entity = at(ENTITY, found, 0);
      return entity ? decoded(entity) : found;
    },
  );
}

/** What of an address in running text belongs to it: not the punctuation after it, nor the bracket that began before. */
function addressAt(text: string, index: number): string | undefined {
  let found = at(ADDRESS, text, index)?.[0];
  if (found === undefined) return undefined;
  let closing = 0;
  for (const mark of found) closing += mark === ')' ? 1 : mark === '(' ? -1 : 0;
  let end = found.length;
  for (;;) {
    const last = found[end - 1] ?? '';
    if (last === ')' && closing > 0) closing -= 1;
    else if (!'?!.,:*_~\'";'.includes(last) || last === '') break;
    end -= 1;
  }
  found = found.slice(0, end);
  return /^(?:https?:\/\/|www\.)[^\s/]/i.test(found) ? found : undefined;
}

const LITERAL =
  /(?<![\p{L}\p{N}/])(?:https?:\/\/|www\.)[^\s<]+|(?<![\w.+/-])[\w.+-]{1,64}@[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){1,8}(?![\w-])/giu;

/** Addresses that stand in the words are links. */
function withAddresses(text: string): Inline[] {
  const out: Inline[] = [];
  let done = 0;
  for (const { 0: match, index } of text.matchAll(LITERAL)) {
    const isMail = !/^(?:https?:\/\/|www\.)/i.test(match);
    const address = isMail ? match : addressAt(text, index);
    if (address === undefined || index < done) continue;
    if (index > done) out.push({ type: 'text', text: text.slice(done, index) });
    const scheme = isMail ? 'mailto:' : /^www\./i.test(address) ? 'http://' : '';
    out.push({
      type: 'link',
      href: scheme + address,
      children: [{ type: 'text', text: address }],
      depth: 1,
    });
    done = index + address.length;
  }
  if (done < text.length) out.push({ type: 'text', text: text.slice(done) });
  return out;
}

const depthOf = (inline: Inline): number => ('depth' in inline ? inline.depth : 0);
const isText = (inline: Inline | undefined): inline is Inline & { type: 'text' } => inline?.type === 'text';

/** Neighbouring words as one. */
function joined(inlines: readonly Inline[]): Inline[] {
  const out: Inline[] = [];
  let words: string[] = [];
  const flush = () => {
    if (words.length > 0) out.push({ type: 'text', text: words.join('') });
    words = [];
  };
  for (const inline of inlines) {
    if (isText(inline)) words.push(inline.text);
    else {
      flush();
      out.push(inline);
    }
  }
  flush();
  return out;
}

/** Joins words and finds addresses in them, but not within a link. */
function finished(inlines: readonly Inline[]): Inline[] {
  return joined(inlines).flatMap((inline): Inline[] => {
    if (isText(inline)) return withAddresses(inline.text);
    if (inline.type === 'link') return [{ ...inline, children: joined(inline.children) }];
    return 'children' in inline ? [{ ...inline, children: finished(inline.children) }] : [inline];
  });
}

/** The words alone. */
const plain = (inlines: readonly Inline[]): string =>
  inlines
    .map((inline) => {
      if (inline.type === 'text' || inline.type === 'code') return inline.text;
      if (inline.type === 'image') return inline.alt;
      return 'children' in inline ? plain(inline.children) : '\n';
    })
    .join('');

/** `(target "title")` behind the words of a link: its target, and where it ends. */
function targetAt(text: string, start: number): { href: string; end: number } | undefined {
  let index = start + 1;
  const skip = () => {
    while (index < text.length && ' \t\n'.includes(text[index] as string)) index += 1;
  };
  skip();
  let href = '';
  if (text[index] === '<') {
    const pointed = at(/<((?:[^<>\n\\]|\\.)*)>/y, text, index);
    if (!pointed) return undefined;
    href = pointed[1] ?? '';
    index += pointed[0].length;
  } else {
    const from = index;
    let open = 0;
    for (; index < text.length; index += 1) {
      const mark = text[index] as string;
      if (mark <= ' ') break;
      if (mark === '\\' && ESCAPABLE.test(text[index + 1] ?? '')) index += 1;
      else if (mark === '(') open += 1;
      else if (mark === ')' && open === 0) break;
      else if (mark === ')') open -= 1;
      if (open > MOST_PARENTHESES) return undefined;
    }
    if (open !== 0) return undefined;
    href = text.slice(from, index);
  }
  const before = index;
  skip();
  if (index > before) {
    const title = at(/"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|\((?:[^()\\]|\\[^])*\)/y, text, index);
    if (title) index += title[0].length;
    skip();
  }
  return text[index] === ')' ? { href: unescaped(href), end: index + 1 } : undefined;
}

/** Whether a run may open the emphasis that another one closes. */
function pairs(opener: Run, closer: Run): boolean {
  if (opener.mark !== closer.mark || !opener.opens) return false;
  if (opener.mark === '~') return opener.left === closer.left;
  const isBoth = opener.closes || closer.opens;
  return !isBoth || (opener.size + closer.size) % 3 !== 0 || (opener.size % 3 === 0 && closer.size % 3 === 0);
}

/** The text of a paragraph, a heading or a cell as CommonMark and GFM read it. Every text is one: nothing is refused. */
class InlineParser {
  readonly #text: string;
  readonly #references: References;
  readonly #head: Cell = { inline: { type: 'text', text: '' }, next: undefined };
  #last = this.#head;
  readonly #runs: Run[] = [];
  #seq = 0;
  readonly #brackets: Bracket[] = [];
  /** Lengths of runs of backticks that nothing closes from here on. */
  readonly #unclosed = new Set<number>();

  constructor(text: string, references: References) {
    this.#text = text;
    this.#references = references;
  }

  parse(): Inline[] {
    const text = this.#text;
    for (let index = 0; index < text.length; ) {
      const words = at(PLAIN, text, index)?.[0] ?? '';
      if (words !== '') this.#push({ type: 'text', text: words });
      index += words.length;
      if (index < text.length) index = this.#special(index);
    }
    this.#emphasise(0);
    return finished(this.#after(this.#head));
  }

  #push(inline: Inline): Cell {
    const cell: Cell = { inline, next: undefined };
    this.#last.next = cell;
    this.#last = cell;
    return cell;
  }

  #after(cell: Cell): Inline[] {
    const out: Inline[] = [];
    for (let next = cell.next; next; next = next.next) out.push(next.inline);
    return out;
  }

  #words(text: string, from: number): number {
    this.#push({ type: 'text', text });
    return from + text.length;
  }

  /** Reads what begins with a mark; where it goes on. */
  #special(index: number): number {
    const text = this.#text;
    const mark = at(SPECIAL, text, index)?.[0] ?? '';
    if (mark.length > 1) return this.#words(this.#address(index) ?? mark, index);
    if (mark === '\\') return this.#escape(index);
    if (mark === '`') return this.#code(index);
    if (mark === '*' || mark === '_' || mark === '~') return this.#run(mark, index);
    if (mark === '[') return this.#open(index, false);
    if (mark === '!' && text[index + 1] === '[') return this.#open(index, true);
    if (mark === ']') return this.#close(index);
    if (mark === '<') return this.#pointed(index);
    if (mark === '\n') return this.#newline(index);
    const entity = mark === '&' ? at(ENTITY, text, index) : null;
    if (!entity) return this.#words(text[index] as string, index);
    this.#push({ type: 'text', text: decoded(entity) });
    return index + entity[0].length;
  }

  /** An address is words, whatever marks it has; within brackets it may be the words of a link, which end there. */
  #address(index: number): string | undefined {
    return this.#brackets.length === 0 ? addressAt(this.#text, index) : undefined;
  }

  #escape(index: number): number {
    const next = this.#text[index + 1] ?? '';
    if (next === '\n') {
      this.#push({ type: 'break' });
      return this.#newline(index + 1, '');
    }
    if (!ESCAPABLE.test(next)) return this.#words('\\', index);
    this.#push({ type: 'text', text: next });
    return index + 2;
  }

  #newline(index: number, words = '\n'): number {
    const before = this.#last.inline;
    if (isText(before)) {
      const kept = before.text.trimEnd();
      if (words !== '' && before.text.endsWith('  ')) {
        this.#last.inline = { type: 'text', text: kept };
        this.#push({ type: 'break' });
      } else this.#last.inline = { type: 'text', text: kept };
    }
    this.#push({ type: 'text', text: '\n' });
    let next = index + 1;
    while (this.#text[next] === ' ' || this.#text[next] === '\t') next += 1;
    return next;
  }

  #code(index: number): number {
    const text = this.#text;
    const fence = at(/`+/y, text, index)?.[0] ?? '`';
    const start = index + fence.length;
    if (!this.#unclosed.has(fence.length)) {
      const runs = /`+/g;
      runs.lastIndex = start;
      for (let end = runs.exec(text); end; end = runs.exec(text)) {
        if (end[0].length !== fence.length) continue;
        const inner = text.slice(start, end.index).replaceAll('\n', ' ');
        const isPadded = inner.startsWith(' ') && inner.endsWith(' ') && inner.trim() !== '';
        this.#push({ type: 'code', text: isPadded ? inner.slice(1, -1) : inner });
        return end.index + fence.length;
      }
      this.#unclosed.add(fence.length);
    }
    return this.#words(fence, index);
  }

  #pointed(index: number): number {
    const link = at(AUTOLINK, this.#text, index);
    const mail = link ? null : at(AUTOMAIL, this.#text, index);
    const [written, words] = link ?? mail ?? [];
    if (written === undefined || words === undefined) return this.#words('<', index);
    const children = [{ type: 'text', text: words }] as const;
    this.#push({ type: 'link', href: mail ? `mailto:${words}` : words, children, depth: 1 });
    return index + written.length;
  }

  #run(mark: string, index: number): number {
    const text = this.#text;
    let end = index;
    while (text[end] === mark) end += 1;
    const size = end - index;
    const before = index === 0 ? ' ' : (String.fromCodePoint(codeBefore(text, index)) as string);
    const after = end >= text.length ? ' ' : String.fromCodePoint(text.codePointAt(end) ?? 32);
    const [spaceBefore, spaceAfter] = [SPACE.test(before), SPACE.test(after)];
    const [markBefore, markAfter] = [PUNCTUATION.test(before), PUNCTUATION.test(after)];
    const left = !spaceAfter && (!markAfter || spaceBefore || markBefore);
    const right = !spaceBefore && (!markBefore || spaceAfter || markAfter);
    const cell = this.#push({ type: 'text', text: text.slice(index, end) });
    if (mark === '~' && size > 2) return end;
    const isWord = mark === '_';
    this.#seq += 1;
    this.#runs.push({
      seq: this.#seq,
      cell,
      mark,
      size,
      left: size,
      opens: left && (!isWord || !right || markBefore),
      closes: right && (!isWord || !left || markAfter),
    });
    return end;
  }

  #open(index: number, isImage: boolean): number {
    const from = index + (isImage ? 2 : 1);
    const cell = this.#push({ type: 'text', text: isImage ? '![' : '[' });
    this.#brackets.push({ cell, isImage, from, below: this.#seq, active: true });
    return from;
  }

  #close(index: number): number {
    const bracket = this.#brackets.pop();
    const target = bracket?.active ? this.#target(bracket, index) : undefined;
    if (!bracket || !target) return this.#words(']', index);
    this.#emphasise(bracket.below);
    const children = this.#after(bracket.cell);
    const depth = 1 + Math.max(0, ...children.map(depthOf));
    if (depth > MOST_DEPTH) return this.#words(']', index);
    bracket.cell.inline = bracket.isImage
      ? { type: 'image', src: target.href, alt: plain(children) }
      : { type: 'link', href: target.href, children, depth };
    bracket.cell.next = undefined;
    this.#last = bracket.cell;
    // No link within a link.
    if (!bracket.isImage) for (const other of this.#brackets) other.active &&= other.isImage;
    return target.end;
  }

  #target(bracket: Bracket, index: number): { href: string; end: number } | undefined {
    const text = this.#text;
    const inline = text[index + 1] === '(' ? targetAt(text, index + 1) : undefined;
    if (inline || this.#references.size === 0) return inline;
    const named = at(/\[((?:[^[\]\\]|\\.){0,200})\]/y, text, index + 1);
    const name = named?.[1] === undefined || named[1] === '' ? text.slice(bracket.from, index) : named[1];
    const href = this.#references.get(labelOf(name));
    return href === undefined ? undefined : { href, end: index + 1 + (named?.[0].length ?? 0) };
  }

  /** Pairs the runs above a place (CommonMark, "process emphasis") and lets go of them. */
  #emphasise(below: number): void {
    const runs = this.#runs;
    const first = runs.findIndex((run) => run.seq > below);
    if (first === -1) return;
    /** Under which no opener was found for such a closer. */
    const floors = new Map<string, number>();
    let at = first;
    while (at < runs.length) {
      const closer = runs[at] as Run;
      if (!closer.closes) {
        at += 1;
        continue;
      }
      const kind = `${closer.mark}${closer.opens}${closer.mark === '~' ? closer.left : closer.size % 3}`;
      const floor = floors.get(kind) ?? below;
      let from = at - 1;
      while (from >= first && (runs[from] as Run).seq > floor && !pairs(runs[from] as Run, closer)) from -= 1;
      const opener = runs[from];
      if (from < first || opener === undefined || opener.seq <= floor) {
        floors.set(kind, runs[at - 1]?.seq ?? below);
        at += 1;
        continue;
      }
      const used = opener.mark === '~' ? closer.left : opener.left >= 2 && closer.left >= 2 ? 2 : 1;
      if (!this.#wrap(opener, closer, used)) {
        at += 1;
        continue;
      }
      runs.splice(from + 1, at - from - 1);
      at = from + 1;
      if (opener.left === 0) {
        runs.splice(from, 1);
        at -= 1;
      }
      if (closer.left === 0) runs.splice(at, 1);
    }
    runs.length = Math.min(runs.length, first);
  }

  /** Takes what is between two runs into emphasis; false where it would be nested too deep. */
  #wrap(opener: Run, closer: Run, used: number): boolean {
    const children: Inline[] = [];
    let depth = 0;
    for (let cell = opener.cell.next; cell && cell !== closer.cell; cell = cell.next) {
      children.push(cell.inline);
      depth = Math.max(depth, depthOf(cell.inline));
    }
    if (depth >= MOST_DEPTH) return false;
    const type = opener.mark === '~' ? 'del' : used === 2 ? 'strong' : 'em';
    opener.cell.next = { inline: { type, children, depth: depth + 1 }, next: closer.cell };
    for (const run of [opener, closer]) {
      run.left -= used;
      run.cell.inline = { type: 'text', text: run.mark.repeat(run.left) };
    }
    return true;
  }
}

/** The character before a place, whole where it is a pair of surrogates. */
function codeBefore(text: string, index: number): number {
  const low = text.charCodeAt(index - 1);
  return low >= 0xdc00 && low <= 0xdfff ? (text.codePointAt(index - 2) ?? low) : low;
}

/** Reads the words of a block. */
export const parseInlines = (text: string, references: References): Inline[] =>
  new InlineParser(text.trim(), references).parse();
