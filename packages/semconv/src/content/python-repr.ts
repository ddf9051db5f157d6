/** What Python's `repr` writes of lists and dicts: tracers that call `str()` on messages send it in place of JSON. */
import { isRecord, type JsonRecord, MAX_DEPTH, member } from './builder.ts';

const MAX_REPR = 1_000_000;
/** What it holds begins with a text in single quotes, which JSON has nowhere. */
const BEGINNING = /^\s*[[{][[({\s]*'/;
/** An object of a class (`Usage(input=1)`), and what `str()` gives of one of Pydantic (`input=1 output=2`). */
const OBJECT = /^\s*[[({\s]*[A-Z]\w*\(\w+=/;
const MEMBERS = /^\w+=(?:['"\d[{(-]|None|True|False|[A-Z]\w*\()/;
const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['None', null],
  ['True', true],
  ['False', false],
]);
const ESCAPED: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
]);
const CODE_LENGTHS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

class Unclear extends Error {}

/** The value that a text is the `repr` of; undefined of anything else. An object of a class is a dict of its members. */
export function pythonValue(text: string): unknown {
  const isMembers = MEMBERS.test(text);
  if (text.length > MAX_REPR || !(isMembers || BEGINNING.test(text) || OBJECT.test(text))) return undefined;
  try {
    return isMembers ? new Reading(text).members() : new Reading(text).whole();
  } catch (error) {
    if (error instanceof Unclear) return undefined;
    throw error;
  }
}

class Reading {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): unknown {
    const value = this.#value(0);
    this.#space();
    if (this.#at < this.#text.length) throw new Unclear();
    return value;
  }

  /** `a=1 b='x'`, as `str()` tells an object of Pydantic. */
  members(): unknown {
    const out = Object.create(null) as Record<string, unknown>;
    for (;;) {
      this.#space();
      if (this.#at >= this.#text.length) return out;
      this.#member(out, 0);
    }
  }

  #member(out: Record<string, unknown>, depth: number): void {
    const name = /^\w+/.exec(this.#text.slice(this.#at, this.#at + 128))?.[0] ?? '';
    this.#at += name.length;
    if (name === '' || !this.#passes('=')) throw new Unclear();
    out[name] = this.#value(depth);
  }

  /** The members of an object of a class, after its opening parenthesis. A message's class says who speaks. */
  #object(name: string, depth: number): Record<string, unknown> {
    if (depth > MAX_DEPTH) throw new Unclear();
    const out = Object.create(null) as Record<string, unknown>;
    while (!this.#passes(')')) {
      this.#space();
      this.#member(out, depth);
      if (!this.#passes(',')) {
        if (!this.#passes(')')) throw new Unclear();
        break;
      }
    }
    if (/Message(?:Chunk)?$/.test(name) && out['role'] === undefined) out['role'] = name;
    return out;
  }

  #space(): void {
    while (/\s/.test(this.#text.charAt(this.#at))) this.#at += 1;
  }

  /** Whether that comes next, which is then passed. */
  #passes(mark: string): boolean {
    this.#space();
    if (this.#text.charAt(this.#at) !== mark) return false;
    this.#at += 1;
    return true;
  }

  #value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw new Unclear();
    if (this.#passes('{')) return this.#dict(depth + 1);
    if (this.#passes('[')) return this.#list(']', depth + 1);
    if (this.#passes('(')) return this.#tuple(depth + 1);
    const quote = this.#text.charAt(this.#at);
    return quote === "'" || quote === '"' ? this.#string(quote) : this.#word(depth);
  }

  #list(end: string, depth: number): unknown[] {
    const items: unknown[] = [];
    while (!this.#passes(end)) {
      items.push(this.#value(depth));
      if (!this.#passes(',')) {
        if (!this.#passes(end)) throw new Unclear();
        break;
      }
    }
    return items;
  }

  /** Of one entry it has a comma behind it: without, parentheses are none. */
  #tuple(depth: number): unknown[] {
    const items = this.#list(')', depth);
    const before = this.#text.slice(0, this.#at - 1).trimEnd();
    if (items.length === 1 && !before.endsWith(',')) throw new Unclear();
    return items;
  }

  #dict(depth: number): Record<string, unknown> {
    // Without a prototype, so that a key named `__proto__` is just a key.
    const out = Object.create(null) as Record<string, unknown>;
    while (!this.#passes('}')) {
      const key = this.#value(depth);
      // Without a colon it is a set.
      if (typeof key !== 'string' || !this.#passes(':')) throw new Unclear();
      out[key] = this.#value(depth);
      if (!this.#passes(',')) {
        if (!this.#passes('}')) throw new Unclear();
        break;
      }
    }
    return out;
  }

  #string(quote: string): string {
    let from = this.#at + 1;
    let said = '';
    for (let at = from; at < this.#text.length; at += 1) {
      const char = this.#text.charAt(at);
      if (char === quote) {
        this.#at = at + 1;
        return said + this.#text.slice(from, at);
      }
      // A repr is one line.
      if (char === '\n') break;
      if (char !== '\\') continue;
      said += this.#text.slice(from, at);
      const letter = this.#text.charAt(at + 1);
      const digits = CODE_LENGTHS.get(letter) ?? 0;
      said += digits === 0 ? escapeOf(letter) : character(this.#text.slice(at + 2, at + 2 + digits), digits);
      at += 1 + digits;
      from = at + 1;
    }
    throw new Unclear();
  }

  #word(depth: number): unknown {
    const word = /^[\w.+-]+/.exec(this.#text.slice(this.#at, this.#at + 64))?.[0] ?? '';
    this.#at += word.length;
    if (/^[A-Za-z_]/.test(word) && this.#text.charAt(this.#at) === '(') {
      this.#at += 1;
      return this.#object(word, depth + 1);
    }
    if (WORDS.has(word)) return WORDS.get(word);
    if (!/^-?\d+(?:\.\d*)?(?:e[+-]?\d+)?$/.test(word)) throw new Unclear();
    return Number(word);
  }
}

function escapeOf(letter: string): string {
  const char = ESCAPED.get(letter);
  if (char === undefined) throw new Unclear();
  return char;
}

function character(hex: string, digits: number): string {
  const code = /^[0-9a-f]+$/i.test(hex) && hex.length === digits ? Number.parseInt(hex, 16) : Infinity;
  if (code > 0x10_ff_ff) throw new Unclear();
  return String.fromCodePoint(code);
}

/** Messages that were sent as Python's `repr`: a list of them, one alone, or a dict that holds them. Undefined of other text. */
export function pythonMessages(text: string, isMessage: (record: JsonRecord) => boolean): unknown {
  const value = pythonValue(text);
  const held = isRecord(value) ? (member(value, 'messages') ?? value) : value;
  const items: readonly unknown[] = Array.isArray(held) ? held : [held];
  return items.length > 0 && items.every((item) => isRecord(item) && isMessage(item)) ? value : undefined;
}
