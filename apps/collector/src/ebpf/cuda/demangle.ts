/**
 * The name in a mangled C++ symbol of a kernel, after the Itanium ABI: `at::native::reduce_kernel`. Template arguments and
 * parameters are left out, so that a name stands for a kernel and not for each of its thousands of instances. What is no
 * such symbol, and what is cut off, is taken as far as it goes.
 */
export function kernelName(symbol: string): string {
  const plain = symbol.replace(/^__device_stub__/, '');
  const mangled = plain.startsWith('_Z') ? plain : plain.startsWith('Z') ? `_${plain}` : undefined;
  if (mangled === undefined) return plain;
  const parts = new Reader(mangled, 2).name();
  return parts.length === 0 ? plain : parts.join('::');
}

const STANDARD: ReadonlyMap<string, string> = new Map([
  ['t', 'std'],
  ['a', 'std::allocator'],
  ['b', 'std::basic_string'],
  ['s', 'std::string'],
]);
const MAX_DEPTH = 64;

class Reader {
  readonly #text: string;
  #at: number;
  #depth = 0;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  /** `<name>`: nested in `N … E`, or a name of its own. */
  name(): string[] {
    const parts: string[] = [];
    // Internal linkage has a mark before the name.
    while (this.#peek() === 'L') this.#at += 1;
    if (this.#peek() !== 'N') {
      this.#part(parts);
      if (parts.at(-1) === 'std') this.#part(parts);
      return parts;
    }
    this.#at += 1;
    while (/[rVKRO]/.test(this.#peek())) this.#at += 1;
    while (this.#at < this.#text.length && this.#peek() !== 'E') {
      if (this.#peek() === 'I') {
        if (!this.#skip()) break;
      } else if (!this.#part(parts)) break;
    }
    return parts;
  }

  #peek(): string {
    return this.#text[this.#at] ?? '';
  }

  /** One part of a name; false when it is none that is known. */
  #part(parts: string[]): boolean {
    const letter = this.#peek();
    if (letter === 'L') {
      this.#at += 1;
      return true;
    }
    if (/\d/.test(letter)) {
      const text = this.#source();
      if (text === '') return false;
      parts.push(text.startsWith('_GLOBAL__N_') ? '(anonymous)' : text);
      return true;
    }
    if (letter === 'S') {
      const standard = STANDARD.get(this.#text[this.#at + 1] ?? '');
      if (standard === undefined) return false;
      parts.push(standard);
      this.#at += 2;
      return true;
    }
    return false;
  }

  /** `<length><text>`; what is cut off is taken as it stands. */
  #source(): string {
    const digits = /^\d{1,5}/.exec(this.#text.slice(this.#at, this.#at + 5))?.[0] ?? '';
    this.#at += digits.length;
    const text = this.#text.slice(this.#at, this.#at + Number(digits));
    this.#at += text.length;
    return text;
  }

  /** Passes over one thing of a list of template arguments, whatever it is; false when it is cut off. */
  #skip(): boolean {
    const letter = this.#peek();
    if (letter === '' || this.#depth > MAX_DEPTH) return false;
    if (/\d/.test(letter)) return this.#source() !== '';
    this.#at += 1;
    if (letter === 'L') return this.#literal();
    if (letter === 'S' || letter === 'T') {
      const one = this.#text.slice(this.#at).match(/^(?:[0-9A-Z]*_|[a-z])/)?.[0];
      if (one === undefined) return false;
      this.#at += one.length;
      return true;
    }
    if (letter === 'D') {
      this.#at += 1;
      return true;
    }
    if (!/[INXJF]/.test(letter)) return true;
    this.#depth += 1;
    while (this.#peek() !== 'E') if (!this.#skip()) return false;
    this.#depth -= 1;
    this.#at += 1;
    return true;
  }

  /** `L<type><value>E` or `L_Z<encoding>E`. */
  #literal(): boolean {
    if (this.#text.startsWith('_Z', this.#at)) {
      this.#at += 2;
      while (this.#peek() !== 'E') if (!this.#skip()) return false;
      this.#at += 1;
      return true;
    }
    if (!this.#skip()) return false;
    const end = this.#text.indexOf('E', this.#at);
    if (end === -1) return false;
    this.#at = end + 1;
    return true;
  }
}
