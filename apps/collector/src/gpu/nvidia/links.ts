import type { Directions } from '../device.ts';
import { HeldSum } from '../drm/held-sum.ts';
import { ALL_LINKS, FIELD, type FieldAsked, type FieldValues } from './fields.ts';

/** NVML_NVLINK_MAX_LINKS. */
const MAX_LINKS = 36;
const KIB = 1_024;

/**
 * Bytes over NVLink. Blackwell counts the bytes of each link, the generations before count KiB, of all links together or
 * of each. Which of these a GPU has is found once: a sum must not change from one to another.
 */
const WAYS = [
  { tx: FIELD.nvlinkTxBytes, rx: FIELD.nvlinkRxBytes, together: false, scale: 1 },
  { tx: FIELD.nvlinkDataTx, rx: FIELD.nvlinkDataRx, together: true, scale: KIB },
  { tx: FIELD.nvlinkDataTx, rx: FIELD.nvlinkDataRx, together: false, scale: KIB },
] as const;
type Way = (typeof WAYS)[number];

export class NvLinks {
  readonly #links: number;
  readonly #sums = { tx: new HeldSum(), rx: new HeldSum() };
  #way: Way | undefined;

  /** `links`: how many the GPU has; 0 where there are none, or they are not wanted. */
  constructor(links: number) {
    this.#links = Math.min(links, MAX_LINKS);
  }

  /** The fields to read. */
  asked(): FieldAsked[] {
    if (this.#links === 0) return [];
    const ways = this.#way === undefined ? WAYS : [this.#way];
    return ways.flatMap((way) =>
      this.#scopes(way).flatMap((scope) => [
        { id: way.tx, scope },
        { id: way.rx, scope },
      ]),
    );
  }

  read(fields: FieldValues): Directions | undefined {
    if (this.#links === 0) return undefined;
    this.#way ??= WAYS.find((way) => this.#parts(way.tx, way, fields).size > 0);
    if (this.#way === undefined) return undefined;
    const { tx, rx, scale } = this.#way;
    const transmit = this.#sums.tx.add(this.#parts(tx, this.#way, fields));
    const receive = this.#sums.rx.add(this.#parts(rx, this.#way, fields));
    return {
      ...(receive === undefined ? {} : { receive: { raw: receive, scale } }),
      ...(transmit === undefined ? {} : { transmit: { raw: transmit, scale } }),
    };
  }

  #scopes({ together }: Way): number[] {
    return together ? [ALL_LINKS] : Array.from({ length: this.#links }, (_, link) => link);
  }

  #parts(id: number, way: Way, fields: FieldValues): Map<string, bigint> {
    const parts = new Map<string, bigint>();
    for (const scope of this.#scopes(way)) {
      const value = fields.of(id, scope)?.value;
      if (value !== undefined) parts.set(String(scope), value);
    }
    return parts;
  }
}
