/** Bytes of a result: about 8,000 tokens at 3.5 bytes each. */
const MAX_BYTES = 28_000;
/** Characters of a text that are kept at each end. */
const LONGEST_ENDS = 400;

/** Tags, directions and zero-width characters: a person does not see what a model reads in them. */
const INVISIBLE = /[\u{E0000}-\u{E007F}\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\u00AD]/gu;

export interface Bounded {
  readonly value: unknown;
  /** Something was left out. */
  readonly truncated: boolean;
}

/** A JSON value small enough for a model: texts lose their middle, lists their end. */
export function bounded(value: unknown, maxBytes: number = MAX_BYTES): Bounded {
  for (
    let items = 1_000, ends = LONGEST_ENDS;
    ;
    items = Math.floor(items / 2), ends = Math.floor(ends * 0.7)
  ) {
    const cut = { done: false };
    const short = shorten(value, { items, ends: Math.max(ends, 20), cut }, 0);
    if (items <= 1 || Buffer.byteLength(JSON.stringify(short) ?? '') <= maxBytes) {
      return { value: short, truncated: cut.done };
    }
  }
}

interface Shortening {
  readonly items: number;
  readonly ends: number;
  readonly cut: { done: boolean };
}

const MAX_DEPTH = 24;

function shorten(value: unknown, how: Shortening, depth: number): unknown {
  if (typeof value === 'string') return shortText(value, how);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (depth === MAX_DEPTH) {
    how.cut.done = true;
    return null;
  }
  if (Array.isArray(value)) {
    if (value.length > how.items) how.cut.done = true;
    return value.slice(0, how.items).map((item) => shorten(item, how, depth + 1));
  }
  const entries = Object.entries(value);
  if (entries.length > how.items) how.cut.done = true;
  // Keys are an attacker's too: of a prototype they would be no fields.
  return Object.fromEntries(
    entries
      .slice(0, how.items)
      .map(([key, item]) => [shortText(key, how), shorten(item, how, depth + 1)] as const),
  );
}

function shortText(text: string, { ends, cut }: Shortening): string {
  const visible = text.replaceAll(INVISIBLE, '').toWellFormed();
  if (visible.length <= ends * 2) return visible;
  cut.done = true;
  const left = visible.length - ends * 2;
  return `${visible.slice(0, ends)} …${left} characters left out… ${visible.slice(-ends)}`.toWellFormed();
}
