/** Number of colours that stand for identity; the tokens `--series-1` to `--series-8` of both themes. */
export const PALETTE_SIZE = 8;

/** Colours that mean an outcome are not for identity: a series takes one only by saying so. */
export type Tone = 'danger' | 'warn' | 'ok' | 'accent' | 'muted';

const TONES: Record<Tone, string> = {
  danger: 'var(--danger)',
  warn: 'var(--warn)',
  ok: 'var(--ok)',
  accent: 'var(--accent-fill)',
  muted: 'var(--faint)',
};

/** FNV-1a over the UTF-16 units: the same text has the same number on every page. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

/**
 * A colour for every key: the same on every page by the hash of the key, and no two alike within one chart of at most
 * eight. Who must step aside is settled in the order of the keys as text, so that it does not change with the ranking.
 */
export function paletteOf(keys: readonly string[]): ReadonlyMap<string, string> {
  const colours = new Map<string, string>();
  const taken = new Set<number>();
  for (const key of [...new Set(keys)].sort()) {
    let slot = hash(key) % PALETTE_SIZE;
    for (let step = 0; step < PALETTE_SIZE && taken.has(slot); step += 1) slot = (slot + 1) % PALETTE_SIZE;
    taken.add(slot);
    if (taken.size === PALETTE_SIZE) taken.clear();
    colours.set(key, `var(--series-${slot + 1})`);
  }
  return colours;
}

export const toneColour = (tone: Tone): string => TONES[tone];
