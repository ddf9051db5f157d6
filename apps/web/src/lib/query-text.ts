/** One top-level term of a query as it stands in the text. */
export interface Term {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const JOINS = /^(or|and)$/i;

/**
 * Splits a query at its top-level spaces; quotes and parentheses hold together, `a or b` and `not a` are one term.
 * It never fails: what the grammar makes of a term is the parser's business.
 */
export function terms(query: string): Term[] {
  const words = wordsOf(query);
  const joined: Term[] = [];
  let pending = false;
  for (const word of words) {
    const last = joined.at(-1);
    const isJoin = JOINS.test(word.text);
    if (last && (isJoin || pending)) joined[joined.length - 1] = span(query, last.start, word.end);
    else joined.push(word);
    pending = isJoin || /^not$/i.test(word.text);
  }
  return joined;
}

function wordsOf(query: string): Term[] {
  const words: Term[] = [];
  let at = 0;
  while (at < query.length) {
    if (/\s/.test(query[at] as string)) {
      at += 1;
      continue;
    }
    const start = at;
    let depth = 0;
    let quoted = false;
    for (; at < query.length; at += 1) {
      const char = query[at] as string;
      if (quoted) {
        if (char === '\\') at += 1;
        else if (char === '"') quoted = false;
      } else if (char === '"') quoted = true;
      else if (char === '(') depth += 1;
      else if (char === ')') depth -= 1;
      else if (depth <= 0 && /\s/.test(char)) break;
    }
    at = Math.min(at, query.length);
    words.push(span(query, start, at));
  }
  return words;
}

const span = (query: string, start: number, end: number): Term => ({
  text: query.slice(start, end),
  start,
  end,
});

/** The query without one of its terms. */
export function withoutTerm(query: string, term: Term): string {
  return `${query.slice(0, term.start)} ${query.slice(term.end)}`.replaceAll(/\s+/g, ' ').trim();
}

/** A value as the grammar reads it: bare when it is a simple word, else quoted. */
export function quoted(value: string): string {
  const bare = /^[\p{L}\p{N}_][\p{L}\p{N}_.\-/@+]*$/u.test(value) && !value.includes('..');
  return bare && !/^(or|and|not)$/i.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** The values that a query asks of a field by `field:value` or `field:(a or b)`. */
export function valuesOf(query: string, field: string): string[] {
  const term = terms(query).find((candidate) => candidate.text.startsWith(`${field}:`));
  return term ? listOf(term.text.slice(field.length + 1)) : [];
}

function listOf(text: string): string[] {
  const inner = /^\((.*)\)$/s.exec(text)?.[1];
  const words =
    inner === undefined
      ? [text]
      : wordsOf(inner)
          .map((word) => word.text)
          .filter((word) => !JOINS.test(word));
  return words.map((word) => (/^".*"$/s.test(word) ? word.slice(1, -1).replaceAll(/\\(.)/gs, '$1') : word));
}

/** Adds the value to the field's term, or takes it out when it is there. */
export function toggleValue(query: string, field: string, value: string): string {
  const term = terms(query).find((candidate) => candidate.text.startsWith(`${field}:`));
  if (!term) return join(query, `${field}:${quoted(value)}`);
  const before = listOf(term.text.slice(field.length + 1));
  const after = before.includes(value) ? before.filter((other) => other !== value) : [...before, value];
  if (after.length === 0) return withoutTerm(query, term);
  const text = after.length === 1 ? quoted(after[0] as string) : `(${after.map(quoted).join(' or ')})`;
  return `${query.slice(0, term.start)}${field}:${text}${query.slice(term.end)}`;
}

/** The query without the field's `field:...` term. */
export function withoutField(query: string, field: string): string {
  const term = terms(query).find((candidate) => candidate.text.startsWith(`${field}:`));
  return term ? withoutTerm(query, term) : query;
}

/** Adds `-field:value` unless it is there. */
export function excludeValue(query: string, field: string, value: string): string {
  const text = `-${field}:${quoted(value)}`;
  return terms(query).some((term) => term.text === text) ? query : join(query, text);
}

const join = (query: string, term: string): string =>
  query.trim() === '' ? term : `${query.trim()} ${term}`;

export interface Completion {
  /** What is being typed: a field name, or a value of `field`. */
  readonly kind: 'field' | 'value';
  readonly field: string;
  readonly prefix: string;
  /** The part of the text that a suggestion replaces. */
  readonly start: number;
  readonly end: number;
}

/** What could be completed at the cursor; undefined inside quotes and after a comparison. */
export function completionAt(query: string, cursor: number): Completion | undefined {
  const before = query.slice(0, cursor);
  if ((before.match(/"/g)?.length ?? 0) % 2 === 1) return undefined;
  const word = /[^\s()]*$/.exec(before)?.[0] ?? '';
  const start = cursor - word.length;
  const bare = word.replace(/^-/, '');
  const colon = bare.indexOf(':');
  if (colon > 0)
    return {
      kind: 'value',
      field: bare.slice(0, colon),
      prefix: bare.slice(colon + 1),
      start: start + (word.length - bare.length) + colon + 1,
      end: cursor,
    };
  const list = /(?:^|[\s(])-?([\w.]+):\([^()]*$/.exec(before.slice(0, start));
  if (list) return { kind: 'value', field: list[1] as string, prefix: word, start, end: cursor };
  if (/[<>=!]/.test(bare)) return undefined;
  return { kind: 'field', field: '', prefix: bare, start: start + (word.length - bare.length), end: cursor };
}
