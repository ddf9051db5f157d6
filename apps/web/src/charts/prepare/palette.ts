/** Number of colours that stand for identity; the tokens `--series-1` to `--series-8` of both themes. */
export const PALETTE_SIZE = 8;

/** Colours that mean an outcome are not for identity: a series takes one only by saying so. */
export type Tone = 'danger' | 'warn' | 'ok' | 'accent' | 'muted' | 'quiet';

const TONES: Record<Tone, string> = {
  danger: 'var(--danger)',
  warn: 'var(--warn)',
  ok: 'var(--ok)',
  accent: 'var(--accent-fill)',
  muted: 'var(--faint)',
  quiet: 'var(--line-strong)',
};

/** FNV-1a over the UTF-16 units: the same text has the same number on every page. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

/**
 * A colour for every key: the same on every page by the hash of the key, and no two alike within one chart of at most
 * eight. Whoever must step aside takes a colour that nobody has by its own hash, so that one clash moves one key; who
 * it is is settled in the order of the keys as text, so that it does not change with the ranking. Keys that are `settled`
 * keep the colour that they have.
 */
export function paletteOf(
  keys: readonly string[],
  settled: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const slots = new Map<string, number>();
  const taken = new Set<number>();
  for (let slot = 0; slot < PALETTE_SIZE; slot += 1)
    for (const key of keys)
      if (settled.get(key) === colourOf(slot)) {
        taken.add(slot);
        slots.set(key, slot);
      }
  const aside: string[] = [];
  for (const key of [...new Set(keys)].sort()) {
    if (slots.has(key)) continue;
    const own = hash(key) % PALETTE_SIZE;
    if (taken.has(own)) aside.push(key);
    else {
      taken.add(own);
      slots.set(key, own);
    }
  }
  for (const key of aside) {
    if (taken.size === PALETTE_SIZE) taken.clear();
    let slot = hash(key) % PALETTE_SIZE;
    while (taken.has(slot)) slot = (slot + 1) % PALETTE_SIZE;
    taken.add(slot);
    slots.set(key, slot);
  }
  return new Map([...slots].map(([key, slot]) => [key, colourOf(slot)]));
}

const colourOf = (slot: number): string => `var(--series-${slot + 1})`;

/**
 * One colour for every key of charts that are read together: what stands in several of them has the same in each, and
 * no two are alike within one of at most eight.
 */
export function paletteOfAll(charts: readonly (readonly string[])[]): ReadonlyMap<string, string> {
  const seen = new Map<string, number>();
  for (const key of charts.flatMap((keys) => [...new Set(keys)])) seen.set(key, (seen.get(key) ?? 0) + 1);
  const shared = paletteOf([...seen].filter(([, count]) => count > 1).map(([key]) => key));
  return new Map([...shared, ...charts.flatMap((keys) => [...paletteOf(keys, shared)])]);
}

export const toneColour = (tone: Tone): string => TONES[tone];
