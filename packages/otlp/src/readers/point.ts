import type { Limits } from '../limits.ts';
import { FIXED64, LENGTH_DELIMITED, tagOf, VARINT } from '../wire/wire.ts';
import { integerOf } from './any-value.ts';
import { AttributeList } from './attribute-list.ts';
import type { Decoder } from './decoder.ts';
import type { MetricKind } from './metric.ts';
import { DoubleList, Uint64List } from './number-list.ts';
import { RangeList } from './span-parts.ts';

const fixed = (field: number): number => tagOf(field, FIXED64);
const nested = (field: number): number => tagOf(field, LENGTH_DELIMITED);
const varint = (field: number): number => tagOf(field, VARINT);

/** Start time and time have the same numbers in all five kinds of points. */
const START = fixed(2);
const TIME = fixed(3);

/**
 * One data point of any kind, refilled for point after point. Which members mean something depends on the kind:
 * `value` for gauge and sum; `count`, `sum` and the rest for the others.
 */
export class PointView {
  readonly attributes: AttributeList;
  readonly #decoder: Decoder;
  startLow = 0;
  startHigh = 0;
  timeLow = 0;
  timeHigh = 0;
  flags = 0;
  /** Undefined when the point has none. */
  value: number | undefined;
  countLow = 0;
  countHigh = 0;
  /** Undefined when the point has none, which histograms need not have. */
  sum: number | undefined;
  min: number | undefined;
  max: number | undefined;
  scale = 0;
  zeroCountLow = 0;
  zeroCountHigh = 0;
  /** Half the width of the zero bucket, 0 when the point says nothing. */
  zeroThreshold = 0;
  positiveOffset = 0;
  negativeOffset = 0;
  /** Bucket counts of a histogram; of the positive range of an exponential one. */
  readonly buckets = new Uint64List();
  readonly negativeBuckets = new Uint64List();
  readonly bounds = new DoubleList();
  readonly quantiles = new DoubleList();
  readonly quantileValues = new DoubleList();
  readonly exemplars = new RangeList();

  constructor(decoder: Decoder, limits: Limits) {
    this.#decoder = decoder;
    this.attributes = new AttributeList(decoder, limits);
  }

  /** Reads a point of `kind` from the wire's position to `end`. */
  read(kind: MetricKind, end: number): void {
    this.#clear();
    const { wire } = this.#decoder;
    while (wire.pos < end) {
      const tag = wire.uint32();
      if (tag === START) {
        wire.fixed64();
        this.startLow = wire.low;
        this.startHigh = wire.high;
      } else if (tag === TIME) {
        wire.fixed64();
        this.timeLow = wire.low;
        this.timeHigh = wire.high;
      } else if (!this.#own(kind, tag, end)) wire.skip(tag, end);
    }
    wire.finish(end);
  }

  /** False when the kind has no such field. */
  #own(kind: MetricKind, tag: number, end: number): boolean {
    switch (kind) {
      case 'gauge':
      case 'sum':
        return this.#number(tag, end);
      case 'histogram':
        return this.#histogram(tag, end);
      case 'exponential_histogram':
        return this.#exponential(tag, end);
      case 'summary':
        return this.#summary(tag, end);
    }
  }

  #number(tag: number, end: number): boolean {
    const { wire } = this.#decoder;
    switch (tag) {
      case fixed(4):
        this.value = wire.double();
        return true;
      case fixed(6):
        wire.fixed64();
        this.value = Number(integerOf(wire.low, wire.high));
        return true;
      case nested(5):
        return this.#range(end);
      case nested(7):
        return this.#attribute(end);
      case varint(8):
        this.flags = wire.varint32();
        return true;
      default:
        return false;
    }
  }

  #histogram(tag: number, end: number): boolean {
    const { wire } = this.#decoder;
    switch (tag) {
      case fixed(4):
        return this.#count();
      case fixed(5):
        this.sum = wire.double();
        return true;
      case nested(6):
        this.buckets.addPackedFixed(wire, wire.until(end));
        return true;
      case fixed(6):
        wire.fixed64();
        this.buckets.add(wire.low, wire.high);
        return true;
      case nested(7):
        this.bounds.addPacked(wire, wire.until(end));
        return true;
      case fixed(7):
        this.bounds.add(wire.double());
        return true;
      case nested(8):
        return this.#range(end);
      case nested(9):
        return this.#attribute(end);
      case varint(10):
        this.flags = wire.varint32();
        return true;
      case fixed(11):
        this.min = wire.double();
        return true;
      case fixed(12):
        this.max = wire.double();
        return true;
      default:
        return false;
    }
  }

  #exponential(tag: number, end: number): boolean {
    const { wire } = this.#decoder;
    switch (tag) {
      case nested(1):
        return this.#attribute(end);
      case fixed(4):
        return this.#count();
      case fixed(5):
        this.sum = wire.double();
        return true;
      case varint(6):
        this.scale = wire.sint32();
        return true;
      case fixed(7):
        wire.fixed64();
        this.zeroCountLow = wire.low;
        this.zeroCountHigh = wire.high;
        return true;
      case nested(8):
        this.positiveOffset = this.#bucketRange(this.buckets, this.positiveOffset, wire.until(end));
        return true;
      case nested(9):
        this.negativeOffset = this.#bucketRange(this.negativeBuckets, this.negativeOffset, wire.until(end));
        return true;
      case varint(10):
        this.flags = wire.varint32();
        return true;
      case nested(11):
        return this.#range(end);
      case fixed(12):
        this.min = wire.double();
        return true;
      case fixed(13):
        this.max = wire.double();
        return true;
      case fixed(14):
        this.zeroThreshold = wire.double();
        return true;
      default:
        return false;
    }
  }

  #summary(tag: number, end: number): boolean {
    const { wire } = this.#decoder;
    switch (tag) {
      case fixed(4):
        return this.#count();
      case fixed(5):
        this.sum = wire.double();
        return true;
      case nested(6):
        this.#quantile(wire.until(end));
        return true;
      case nested(7):
        return this.#attribute(end);
      case varint(8):
        this.flags = wire.varint32();
        return true;
      default:
        return false;
    }
  }

  /** Reads one Buckets message; returns its offset. */
  #bucketRange(into: Uint64List, offset: number, end: number): number {
    const { wire } = this.#decoder;
    let found = offset;
    while (wire.pos < end) {
      const tag = wire.uint32();
      if (tag === varint(1)) found = wire.sint32();
      else if (tag === nested(2)) into.addPackedVarints(wire, wire.until(end));
      else if (tag === varint(2)) {
        wire.varint64();
        into.add(wire.low, wire.high);
      } else wire.skip(tag, end);
    }
    wire.finish(end);
    return found;
  }

  #quantile(end: number): void {
    const { wire } = this.#decoder;
    let quantile = 0;
    let value = 0;
    while (wire.pos < end) {
      const tag = wire.uint32();
      if (tag === fixed(1)) quantile = wire.double();
      else if (tag === fixed(2)) value = wire.double();
      else wire.skip(tag, end);
    }
    wire.finish(end);
    this.quantiles.add(quantile);
    this.quantileValues.add(value);
  }

  #count(): boolean {
    const { wire } = this.#decoder;
    wire.fixed64();
    this.countLow = wire.low;
    this.countHigh = wire.high;
    return true;
  }

  #attribute(end: number): boolean {
    this.attributes.add(this.#decoder.wire.until(end));
    return true;
  }

  #range(end: number): boolean {
    const { wire } = this.#decoder;
    const until = wire.until(end);
    this.exemplars.add(wire.pos, until);
    wire.pos = until;
    return true;
  }

  #clear(): void {
    this.attributes.clear();
    this.buckets.clear();
    this.negativeBuckets.clear();
    this.bounds.clear();
    this.quantiles.clear();
    this.quantileValues.clear();
    this.exemplars.clear();
    this.startLow = this.startHigh = this.timeLow = this.timeHigh = this.flags = 0;
    this.countLow = this.countHigh = this.scale = 0;
    this.zeroCountLow =
      this.zeroCountHigh =
      this.zeroThreshold =
      this.positiveOffset =
      this.negativeOffset =
        0;
    this.value = this.sum = this.min = this.max = undefined;
  }
}
