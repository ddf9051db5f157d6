/** Text of an environment variable to its value; undefined when it is none. */
export type Parse<T> = (text: string) => T | undefined;

const TRUE = new Set(['1', 't', 'true']);
const FALSE = new Set(['0', 'f', 'false']);

export const flag: Parse<boolean> = (text) => {
  const lower = text.toLowerCase();
  if (TRUE.has(lower)) return true;
  return FALSE.has(lower) ? false : undefined;
};

export const whole =
  (min: number, max: number): Parse<number> =>
  (text) => {
    if (!/^\d{1,15}$/.test(text)) return undefined;
    const value = Number(text);
    return value >= min && value <= max ? value : undefined;
  };

export const ratio: Parse<number> = (text) => {
  if (!/^\d{0,3}(\.\d{1,15})?$/.test(text) || text === '') return undefined;
  const value = Number(text);
  return value <= 1 ? value : undefined;
};

/** As {@link ratio}, and not nothing. */
export const share: Parse<number> = (text) => {
  const value = ratio(text);
  return value !== undefined && value >= 0.001 ? value : undefined;
};

export const text: Parse<string> = (given) => given;

const MAX_LIST = 1_000;

/** Split at commas, trimmed, empty ones dropped. */
export const list: Parse<readonly string[]> = (given) =>
  given
    .split(',')
    .slice(0, MAX_LIST)
    .map((part) => part.trim())
    .filter((part) => part !== '');

export const oneOf =
  <const T extends string>(...names: readonly T[]): Parse<T> =>
  (given) =>
    names.find((name) => name === given.toLowerCase());

export const httpUrl: Parse<string> = (given) => {
  const url = URL.parse(given);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? given : undefined;
};

/** An absolute path without a slash at its end, but for the root itself. */
export const absolutePath: Parse<string> = (given) => {
  if (!/^([/\\]|[A-Za-z]:[/\\])/.test(given) || given.includes('\0')) return undefined;
  return given.replace(/(?<=.)[/\\]+$/, '') || '/';
};

function percentDecoded(given: string): string {
  try {
    return decodeURIComponent(given);
  } catch {
    // Written by hand more often than by rule: `100%` stays what it is.
    return given;
  }
}

const MAX_PAIRS = 256;

/**
 * `key=value,key2=value2`, percent-encoded as W3C baggage is, without its `;` properties: a value keeps every `=` and
 * `;` it has. Undefined when a part is no pair: half of someone's headers is worse than a warning.
 */
export const pairs: Parse<ReadonlyMap<string, string>> = (given) => {
  const found = new Map<string, string>();
  for (const part of given.split(',')) {
    if (part.trim() === '') continue;
    const at = part.indexOf('=');
    const key = percentDecoded(part.slice(0, Math.max(at, 0)).trim());
    if (at < 0 || key === '' || found.size >= MAX_PAIRS) return undefined;
    found.set(key, percentDecoded(part.slice(at + 1).trim()));
  }
  return found;
};

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/** As {@link pairs}, every one of them fit to be a header: nothing decoded may start a line of its own. */
export const headers: Parse<ReadonlyMap<string, string>> = (given) => {
  const found = pairs(given);
  if (found === undefined) return undefined;
  for (const [key, value] of found) if (!HEADER_NAME.test(key) || !HEADER_VALUE.test(value)) return undefined;
  return new Map([...found].map(([key, value]) => [key.toLowerCase(), value]));
};

/** An address fit to be shown: without user, password and query, where keys may stand. */
export function withoutSecrets(endpoint: string): string {
  // The last `@` ends the password: there may be others in it that nobody encoded.
  return endpoint.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/?#]*@/i, '$1').replace(/\?.+$/s, '?…');
}
