/** JSON whose end is missing: SDKs and collectors cut attributes at a length, wherever that falls. */

/** What a cut string ends with. */
export const CUT_MARK = '… [cut]';
/** Members that say nothing when they are not whole. */
const NAMES: ReadonlySet<string> = new Set(['role', 'type', 'block_type', 'id', 'mime_type']);
/** So much of the end may be what the one that cut it put there in place of the rest. */
const MAX_TAIL = 64;

/**
 * The value that the text began to tell, its last string marked; undefined for text that is wrong in another way, or
 * that told nothing before it was cut.
 */
export function cutJson(text: string): unknown {
  const whole = completed(text);
  if (whole !== undefined) return whole;
  // A note of who cut it ("...[truncated]") may stand behind, which is part of a string unless that was closed.
  const note = /(?:\.{3}|…|\[?\(?truncated)[^"{}]{0,60}$/i.exec(text.slice(-MAX_TAIL))?.[0];
  return note === undefined ? undefined : completed(text.slice(0, -note.length));
}

/** A text that ends before its value does, with what closes it. */
function completed(text: string): unknown {
  const closers: string[] = [];
  let inString = false;
  /** Where the value ends that was told last, and what was open there; what was only opened told nothing yet. */
  let told = 0;
  let toldIn = 0;
  let valueFollows = false;
  let begun = 0;
  let key = '';
  let escaped = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === '\\') {
        escaped = at;
        at += 1;
      } else if (char === '"') {
        inString = false;
        if (valueFollows || closers.at(-1) === ']') [told, toldIn] = [at + 1, closers.length];
        else key = text.slice(begun + 1, at);
      }
      continue;
    }
    switch (char) {
      case '"':
        inString = true;
        begun = at;
        break;
      case '{':
      case '[':
        closers.push(char === '{' ? '}' : ']');
        valueFollows = false;
        break;
      case '}':
      case ']':
        if (closers.pop() !== char) return undefined;
        [told, toldIn] = [at + 1, closers.length];
        break;
      case ':':
        valueFollows = true;
        break;
      case ',':
        // A number or a word is whole only when something stands behind it.
        if (told < at) [told, toldIn] = [at, closers.length];
        valueFollows = false;
        break;
      default:
    }
  }
  if (closers.length === 0) return undefined;
  const ends = closers.toReversed();
  const isKey = !valueFollows && closers.at(-1) === '}';
  if (inString) {
    // The cut may have fallen into an escaped character.
    const halfOne = text.length - escaped < 6 && /^\\(?:u[0-9a-f]{0,3})?$/i.test(text.slice(escaped));
    const kept = halfOne ? text.slice(0, escaped) : text;
    if (!isKey && (closers.at(-1) === ']' || !NAMES.has(key)))
      return parsedOrNot(`${kept}${CUT_MARK}"${ends.join('')}`);
    if (!isJsonSoFar(`${kept}"`, isKey, ends)) return undefined;
  } else if (!isJsonSoFar(text.trimEnd(), isKey, ends)) return undefined;
  if (told === 0) return undefined;
  return parsedOrNot(`${text.slice(0, told)}${ends.slice(closers.length - toldIn).join('')}`);
}

/** Whether a text that ends between two strings is JSON up to there: words after a bracket are none. */
function isJsonSoFar(text: string, isKey: boolean, ends: readonly string[]): boolean {
  const whole = (end: string) => parsedOrNot(`${end}${ends.join('')}`) !== undefined;
  if (text.endsWith('"')) return whole(isKey ? `${text}:null` : text);
  if (text.endsWith(',')) return whole(`${text}${isKey ? '"":null' : 'null'}`);
  if (text.endsWith(':')) return whole(`${text}null`);
  const word = /[\w.+-]+$/.exec(text.slice(-MAX_TAIL))?.[0] ?? '';
  if (word === '') return whole(text);
  const isBegun =
    ['true', 'false', 'null'].some((literal) => literal.startsWith(word)) ||
    /^-?\d*\.?\d*(?:e[+-]?\d*)?$/i.test(word);
  return isBegun && whole(`${text.slice(0, -word.length)}null`);
}

function parsedOrNot(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
