import type { FilterOp } from './ast.ts';

/** A value as written: literals around stars, and whether it was written without any quotes. */
export interface Value {
  readonly pieces: readonly string[];
  readonly bare: boolean;
  /** The expression of `/expression/`, where it begins in the text. */
  readonly regex?: { readonly pattern: string; readonly position: number };
}

const OPERATORS: readonly [string, FilterOp | ':'][] = [
  [':>=', '>='],
  [':<=', '<='],
  [':!=', '!='],
  [':>', '>'],
  [':<', '<'],
  [':=', '='],
  [':', ':'],
  ['>=', '>='],
  ['<=', '<='],
  ['!=', '!='],
  ['>', '>'],
  ['<', '<'],
  // As programs write it.
  ['==', '='],
  ['=', '='],
];

/** Position and small readers over the search text. */
export class Scanner {
  position = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get atEnd(): boolean {
    return this.position >= this.text.length;
  }

  peek(ahead = 0): string {
    return this.text.charAt(this.position + ahead);
  }

  skipBlanks(): void {
    while (!this.atEnd && /\s/.test(this.peek())) this.position++;
  }

  takeWhile(accepts: RegExp): string {
    const start = this.position;
    while (!this.atEnd && accepts.test(this.peek())) this.position++;
    return this.text.slice(start, this.position);
  }

  /** Whether the word here is that keyword, in any case, followed by a blank, a parenthesis or the end. */
  seesKeyword(word: string): boolean {
    const end = this.position + word.length;
    return (
      this.text.slice(this.position, end).toLowerCase() === word &&
      /^(?:$|[\s()])/.test(this.text.charAt(end))
    );
  }

  takeKeyword(word: string): boolean {
    this.skipBlanks();
    if (!this.seesKeyword(word)) return false;
    this.position += word.length;
    return true;
  }

  seesOperator(): boolean {
    return OPERATORS.some(([sign]) => this.text.startsWith(sign, this.position));
  }

  takeOperator(): FilterOp | ':' {
    const found = OPERATORS.find(([sign]) => this.text.startsWith(sign, this.position));
    this.position += found?.[0].length ?? 0;
    return found?.[1] ?? ':';
  }

  /** The text of the quoted string here, or undefined when it is never closed. `\` takes the next character. */
  takeQuoted(): string | undefined {
    let text = '';
    for (let at = this.position + 1; at < this.text.length; at++) {
      const character = this.text.charAt(at);
      if (character === '"') {
        this.position = at + 1;
        return text;
      }
      text += character === '\\' && at + 1 < this.text.length ? this.text.charAt(++at) : character;
    }
    return undefined;
  }

  /** Bare and quoted pieces with stars between; undefined when nothing is here. */
  takeValue(inList: boolean): Value | 'unclosed' | undefined {
    const regex = this.takeRegex(inList);
    if (regex !== undefined) return { pieces: [''], bare: false, regex };
    const pieces = [''];
    const start = this.position;
    let bare = true;
    for (;;) {
      const character = this.peek();
      if (character === '"') {
        const quoted = this.takeQuoted();
        if (quoted === undefined) return 'unclosed';
        pieces[pieces.length - 1] += quoted;
        bare = false;
      } else if (character === '*') {
        this.position++;
        if (pieces.length === 1 || pieces.at(-1) !== '') pieces.push('');
      } else {
        const text = this.takeWhile(inList ? /[^\s()"*,]/ : /[^\s()"*]/);
        if (text === '') break;
        pieces[pieces.length - 1] += text;
      }
    }
    return this.position === start ? undefined : { pieces, bare };
  }

  /**
   * `/expression/`: from a slash to the next one that no backslash precedes, with the end of the value behind it. Any
   * other text that begins with a slash is a value like any other: `route:/pay`.
   */
  private takeRegex(inList: boolean): Value['regex'] {
    if (this.peek() !== '/') return undefined;
    const position = this.position + 1;
    let pattern = '';
    for (let at = position; at < this.text.length; at++) {
      const character = this.text.charAt(at);
      if (character === '/') {
        const behind = this.text.charAt(at + 1);
        const ends = behind === '' || /\s/.test(behind) || behind === ')' || (inList && behind === ',');
        if (!ends || pattern === '') return undefined;
        this.position = at + 1;
        return { pattern, position };
      }
      pattern += character;
      if (character === '\\' && at + 1 < this.text.length) pattern += this.text.charAt(++at);
    }
    return undefined;
  }
}
