import { LENGTH_DELIMITED, tagOf, VARINT } from '../wire/wire.ts';
import { readText } from './containers.ts';
import type { Decoder } from './decoder.ts';

const NAME = tagOf(1, LENGTH_DELIMITED);
const DESCRIPTION = tagOf(2, LENGTH_DELIMITED);
const UNIT = tagOf(3, LENGTH_DELIMITED);
const POINTS = tagOf(1, LENGTH_DELIMITED);
const TEMPORALITY = tagOf(2, VARINT);
const MONOTONIC = tagOf(3, VARINT);

export const METRIC_KINDS = ['gauge', 'sum', 'histogram', 'exponential_histogram', 'summary'] as const;
export type MetricKind = (typeof METRIC_KINDS)[number];

const DATA: ReadonlyMap<number, MetricKind> = new Map([
  [tagOf(5, LENGTH_DELIMITED), 'gauge'],
  [tagOf(7, LENGTH_DELIMITED), 'sum'],
  [tagOf(9, LENGTH_DELIMITED), 'histogram'],
  [tagOf(10, LENGTH_DELIMITED), 'exponential_histogram'],
  [tagOf(11, LENGTH_DELIMITED), 'summary'],
]);

/** One metric, refilled for metric after metric: its head, and where its data lie. */
export class MetricView {
  readonly #decoder: Decoder;
  name = '';
  description = '';
  unit = '';
  kind: MetricKind | undefined;
  aggregationTemporality = 0;
  isMonotonic = false;
  #dataStart = 0;
  #dataEnd = 0;

  constructor(decoder: Decoder) {
    this.#decoder = decoder;
  }

  /** Reads a Metric message from the wire's position to `end`; its points are left for `eachPoint`. */
  read(end: number): void {
    const { wire } = this.#decoder;
    this.name = this.description = this.unit = '';
    this.kind = undefined;
    while (wire.pos < end) {
      const tag = wire.uint32();
      const kind = DATA.get(tag);
      if (kind !== undefined) {
        this.kind = kind;
        this.#dataEnd = wire.until(end);
        this.#dataStart = wire.pos;
        wire.pos = this.#dataEnd;
      } else if (tag === NAME) this.name = readText(this.#decoder, end);
      else if (tag === DESCRIPTION) this.description = readText(this.#decoder, end);
      else if (tag === UNIT) this.unit = readText(this.#decoder, end);
      else wire.skip(tag, end);
    }
    wire.finish(end);
    if (this.kind !== undefined) this.#readDataHead();
  }

  /** Calls `point` for every data point, the wire at its start; `point` must leave it at `end`. */
  eachPoint(point: (end: number) => void): void {
    if (this.kind === undefined) return;
    const { wire } = this.#decoder;
    const end = this.#dataEnd;
    wire.pos = this.#dataStart;
    while (wire.pos < end) {
      const tag = wire.uint32();
      if (tag === POINTS) point(wire.until(end));
      else wire.skip(tag, end);
    }
    wire.finish(end);
  }

  /** Temporality and monotonicity are written after the points, so they are looked for first. */
  #readDataHead(): void {
    const { wire } = this.#decoder;
    const end = this.#dataEnd;
    this.aggregationTemporality = 0;
    this.isMonotonic = false;
    wire.pos = this.#dataStart;
    while (wire.pos < end) {
      const tag = wire.uint32();
      if (tag === TEMPORALITY) this.aggregationTemporality = wire.varint32();
      else if (tag === MONOTONIC) this.isMonotonic = wire.varint32() !== 0;
      else wire.skip(tag, end);
    }
    wire.finish(end);
  }
}
