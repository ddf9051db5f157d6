/** Why a regular expression cannot be used, and where: an offset in UTF-16 units. */
export interface RegexTrouble {
  readonly message: string;
  readonly position: number;
}

const MAX_REPEAT = 1_000;
const MAX_GROUPS = 50;
/** Letters that mean something after a backslash: classes, edges, control characters. */
const ESCAPES = new Set('dDsSwWbBAznrtfvaC');
const REPEAT = /^\{(\d{1,6})(?:,(\d{0,6}))?\}/;
const OPEN_GROUP = /^\(\?(?:[imsU]*(?:-[imsU]+)?:|P?<[A-Za-z_]\w{0,50}>)/;
const FLAGS = /^\(\?[imsU]*(?:-[imsU]+)?\)/;

class Invalid extends Error {
  readonly position: number;
  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

/**
 * Checks the syntax that the engine's matcher (RE2) takes: it never backtracks, so it has no look-around and no back
 * references, and no expression can make it slow. Undefined when all is well.
 */
export function checkRegex(pattern: string): RegexTrouble | undefined {
  try {
    check(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof Invalid) return { message: error.message, position: error.position };
    throw error;
  }
}

/** One form of a pattern: a slash needs no backslash. */
export const canonicalRegex = (pattern: string): string =>
  pattern.replaceAll(/\\([\s\S])/g, (pair, next) => (next === '/' ? '/' : pair));

function check(pattern: string): void {
  const open: number[] = [];
  let repeatable = false;
  for (let at = 0; at < pattern.length; ) {
    const rest = pattern.slice(at, at + 80);
    switch (pattern[at]) {
      case '\\':
        at = escape(pattern, at);
        repeatable = true;
        break;
      case '[':
        at = characterClass(pattern, at);
        repeatable = true;
        break;
      case '(': {
        const flags = FLAGS.exec(rest);
        if (flags !== null) {
          at += flags[0].length;
          repeatable = false;
          break;
        }
        const head = OPEN_GROUP.exec(rest)?.[0] ?? '(';
        if (head === '(' && rest[1] === '?') {
          const around = /^\(\?<?[=!]/.test(rest);
          throw new Invalid(
            around ? 'Look-ahead and look-behind are not supported.' : 'This kind of group is not supported.',
            at,
          );
        }
        if (open.length >= MAX_GROUPS)
          throw new Invalid(`More than ${MAX_GROUPS} groups inside one another.`, at);
        open.push(at);
        at += head.length;
        repeatable = false;
        break;
      }
      case ')':
        if (open.pop() === undefined) throw new Invalid('This ")" closes nothing.', at);
        at += 1;
        repeatable = true;
        break;
      case '|':
        at += 1;
        repeatable = false;
        break;
      case '*':
      case '+':
      case '?':
        at = repeated(pattern, at, 1, repeatable);
        repeatable = false;
        break;
      case '{': {
        const counts = REPEAT.exec(rest);
        if (counts === null) {
          at += 1;
          repeatable = true;
          break;
        }
        const low = Number(counts[1]);
        const high = counts[2] === undefined ? low : counts[2] === '' ? undefined : Number(counts[2]);
        if (low > MAX_REPEAT || (high ?? 0) > MAX_REPEAT) {
          throw new Invalid(`A part may be repeated ${MAX_REPEAT} times at most.`, at);
        }
        if (high !== undefined && high < low) throw new Invalid('The counts are the wrong way round.', at);
        at = repeated(pattern, at, counts[0].length, repeatable);
        repeatable = false;
        break;
      }
      default:
        at += 1;
        repeatable = true;
    }
  }
  const unclosed = open.pop();
  if (unclosed !== undefined) throw new Invalid('This "(" is never closed.', unclosed);
}

/** After a sign of repetition, and the `?` that makes it lazy. */
function repeated(pattern: string, at: number, length: number, repeatable: boolean): number {
  if (!repeatable) throw new Invalid('There is nothing to repeat here.', at);
  return at + length + (pattern[at + length] === '?' ? 1 : 0);
}

/** The place after the escape at `at`. */
function escape(pattern: string, at: number): number {
  const rest = pattern.slice(at + 1, at + 60);
  const next = rest[0];
  if (next === undefined) throw new Invalid('A backslash at the end escapes nothing.', at);
  if (next === 'Q') {
    const end = pattern.indexOf('\\E', at + 2);
    return end < 0 ? pattern.length : end + 2;
  }
  if (next === 'x') {
    const code =
      /^x(?:[0-9A-Fa-f]{2}|\{(?:0{0,2}(?:10|0?[0-9A-Fa-f])[0-9A-Fa-f]{4}|[0-9A-Fa-f]{1,4})\})/.exec(rest);
    if (code === null) throw new Invalid('\\x takes two hex digits, or up to six in braces.', at);
    return at + 1 + code[0].length;
  }
  if (next === 'p' || next === 'P') {
    const named = /^[pP](?:[A-Z]|\{\^?[A-Za-z_]{1,40}\})/.exec(rest);
    if (named === null) throw new Invalid('\\p takes the name of a class: \\pL or \\p{Greek}.', at);
    return at + 1 + named[0].length;
  }
  if (/[1-9]/.test(next)) throw new Invalid('References back to a group are not supported.', at);
  if (next === '0') return at + 1 + (/^0[0-7]{0,2}/.exec(rest)?.[0].length ?? 1);
  if (ESCAPES.has(next) || /[^A-Za-z0-9]/.test(next)) {
    return at + 1 + String.fromCodePoint(rest.codePointAt(0) ?? 0).length;
  }
  throw new Invalid(`\\${next} means nothing.`, at);
}

/** The place after the class at `at`. */
function characterClass(pattern: string, at: number): number {
  let here = at + 1;
  if (pattern[here] === '^') here += 1;
  let low: number | undefined;
  for (let first = true; ; first = false) {
    const character = pattern[here];
    if (character === undefined) throw new Invalid('This "[" is never closed.', at);
    if (character === ']' && !first) return here + 1;
    const start = here;
    let code: number | undefined;
    if (character === '[' && pattern[here + 1] === ':') {
      const named =
        /^\[:\^?(?:alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit):\]/.exec(
          pattern.slice(here, here + 20),
        );
      if (named === null) throw new Invalid('There is no class of this name.', here);
      here += named[0].length;
    } else if (character === '\\') {
      const end = escape(pattern, here);
      code = /^\\[^A-Za-z0-9]$/u.test(pattern.slice(here, end)) ? pattern.codePointAt(here + 1) : undefined;
      here = end;
    } else {
      code = pattern.codePointAt(here);
      here += String.fromCodePoint(code ?? 0).length;
    }
    if (low !== undefined) {
      if (code !== undefined && code < low) throw new Invalid('This range is the wrong way round.', start);
      low = undefined;
      continue;
    }
    if (
      code !== undefined &&
      pattern[here] === '-' &&
      pattern[here + 1] !== ']' &&
      pattern[here + 1] !== undefined
    ) {
      low = code;
      here += 1;
    }
  }
}
