/** One top-level term of a query as it stands in the text. */
export interface Term {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const JOINS = /^(or|and)$/i;

/**
 * Splits a query at its top-level spaces; quotes, parentheses and `/expressions/` hold together, `not a` is one term.
 * `or` binds loosest, so that a query with one of these at its top is a single term. It never fails: what the grammar
 * makes of a term is the parser's business.
 */
export function terms(query: string): Term[] {
  const words = wordsOf(query);
  const [first] = words;
  const last = words.at(-1);
  if (first === undefined || last === undefined) return [];
  if (words.some((word) => /^or$/i.test(word.text))) return [span(query, first.start, last.end)];
  const joined: Term[] = [];
  let pending = false;
  for (const word of words) {
    const before = joined.at(-1);
    const isJoin = JOINS.test(word.text);
    if (before && (isJoin || pending)) joined[joined.length - 1] = span(query, before.start, word.end);
    else joined.push(word);
    pending = isJoin || /^not$/i.test(word.text);
  }
  return joined;
}

/** Words at the top; inside of a list also at its commas. */
function wordsOf(query: string, inList = false): Term[] {
  const words: Term[] = [];
  const parts = inList ? /[\s,]/ : /\s/;
  let at = 0;
  while (at < query.length) {
    if (parts.test(query[at] as string)) {
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
      else if (char === '/') at = expressionEnd(query, at, inList || depth > 0) ?? at;
      else if (depth <= 0 && parts.test(char)) break;
    }
    at = Math.min(at, query.length);
    words.push(span(query, start, at));
  }
  return words;
}

/** Where the `/expression/` that begins here ends, by the grammar's rule; undefined when none does. */
function expressionEnd(query: string, from: number, inList: boolean): number | undefined {
  if (!/[\s(:=<>,-]/.test(query[from - 1] ?? ' ')) return undefined;
  for (let at = from + 1; at < query.length; at += 1) {
    if (query[at] === '\\') at += 1;
    else if (query[at] === '/') {
      const ends = inList ? /[\s),]/ : /[\s)]/;
      return at > from + 1 && ends.test(query[at + 1] ?? ' ') ? at : undefined;
    }
  }
  return undefined;
}

const span = (query: string, start: number, end: number): Term => ({
  text: query.slice(start, end),
  start,
  end,
});

/** The query without one of its terms. */
export const withoutTerm = (query: string, term: Term): string =>
  `${query.slice(0, term.start).trimEnd()} ${query.slice(term.end).trimStart()}`.trim();

/** A value as the grammar reads it: bare when it is a simple word, else quoted. */
export function quoted(value: string): string {
  const bare = /^[\p{L}\p{N}_][\p{L}\p{N}_.\-/@+]*$/u.test(value) && !value.includes('..');
  return bare && !/^(or|and|not)$/i.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** The term that asks for values of a field: `field:value` or `field:(a or b)`, on its own. */
const termOf = (query: string, field: string): Term | undefined =>
  terms(query).find(({ text }) => text.startsWith(`${field}:`) && wordsOf(text).length === 1);

/** Fields of a few values, which a query may write in any case. The grammar knows them, and comes later than the page. */
export const ENUMS: readonly string[] = ['kind', 'severity', 'status'];

/** The values that a query asks of a field. */
export function valuesOf(query: string, field: string): string[] {
  const term = termOf(query, field);
  return term ? itemsOf(term, field).map(({ value }) => value) : [];
}

/** Those of them that name one value each: no pattern, no expression. */
export function namedValuesOf(query: string, field: string): string[] {
  const term = termOf(query, field);
  const items = term ? itemsOf(term, field) : [];
  return items.filter(({ text }) => text.startsWith('"') || text === quoted(text)).map(({ value }) => value);
}

/** What the term of a field lists: each as it is written, and its value. */
function itemsOf(term: Term, field: string): { text: string; value: string }[] {
  const text = term.text.slice(field.length + 1);
  const inner = /^\((.*)\)$/s.exec(text)?.[1];
  const words =
    inner === undefined
      ? [text]
      : wordsOf(inner, true)
          .map((word) => word.text)
          .filter((word) => !JOINS.test(word));
  return words.map((word) => {
    const value = /^".*"$/s.test(word) ? word.slice(1, -1).replaceAll(/\\(.)/gs, '$1') : word;
    return { text: word, value: ENUMS.includes(field) ? value.toLowerCase() : value };
  });
}

/** Adds the value to the field's term, or takes it out when it is there. */
export function toggleValue(query: string, field: string, value: string): string {
  const term = termOf(query, field);
  if (!term) return join(query, `${field}:${quoted(value)}`);
  const before = itemsOf(term, field);
  const without = before.filter((item) => item.value !== value);
  const after = without.length < before.length ? without : [...before, { text: quoted(value), value }];
  if (after.length === 0) return withoutTerm(query, term);
  const list = after.map(({ text }) => text);
  const text = list.length === 1 ? (list[0] as string) : `(${list.join(' or ')})`;
  return `${query.slice(0, term.start)}${field}:${text}${query.slice(term.end)}`;
}

/** The query without the field's `field:...` term. */
export function withoutField(query: string, field: string): string {
  const term = termOf(query, field);
  return term ? withoutTerm(query, term) : query;
}

/** Adds `-field:value` unless it is there. */
export function excludeValue(query: string, field: string, value: string): string {
  const text = `-${field}:${quoted(value)}`;
  return terms(query).some((term) => term.text === text) ? query : join(query, text);
}

/** Both have to hold: what is joined by `or` goes into parentheses. */
export function join(query: string, term: string): string {
  const before = query.trim();
  if (before === '') return term;
  return wordsOf(before).some(({ text }) => /^or$/i.test(text)) ? `(${before}) ${term}` : `${before} ${term}`;
}

/** Adds a term, or takes it out when the query has it. */
export function toggleTerm(query: string, term: string): string {
  const there = terms(query).find(({ text }) => text === term);
  return there ? withoutTerm(query, there) : join(query, term);
}

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
