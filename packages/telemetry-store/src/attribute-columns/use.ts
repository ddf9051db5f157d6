import { type AttributeKey, keyText } from './names.ts';

export interface CountedKey extends AttributeKey {
  readonly asks: number;
}

/** Keys that are counted at once. Somebody who asks for a million different ones pushes out rare ones only. */
const MAX_KEYS = 512;

/** How often keys were asked for since it was last taken; bounded, whatever is asked. */
export class KeyUse {
  readonly #asks = new Map<string, { readonly attribute: AttributeKey; asks: number }>();

  get size(): number {
    return this.#asks.size;
  }

  count(attribute: AttributeKey): void {
    const text = keyText(attribute);
    const known = this.#asks.get(text);
    if (known !== undefined) {
      known.asks += 1;
      return;
    }
    if (this.#asks.size >= MAX_KEYS) this.#forgetRarest();
    const { table, map, key } = attribute;
    this.#asks.set(text, { attribute: { table, map, key }, asks: 1 });
  }

  /** The most asked, at most `limit`; all counts begin anew. */
  take(limit: number): CountedKey[] {
    const taken = [...this.#asks.values()].sort((a, b) => b.asks - a.asks).slice(0, limit);
    this.#asks.clear();
    return taken.map(({ attribute, asks }) => ({ ...attribute, asks }));
  }

  #forgetRarest(): void {
    let rarest: [string, number] | undefined;
    for (const [text, { asks }] of this.#asks) {
      if (rarest === undefined || asks < rarest[1]) rarest = [text, asks];
      if (asks <= 1) break;
    }
    if (rarest !== undefined) this.#asks.delete(rarest[0]);
  }
}
