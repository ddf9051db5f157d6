import type { Limits } from '../limits.ts';
import { FIXED32, FIXED64, LENGTH_DELIMITED, tagOf, VARINT } from '../wire/wire.ts';
import { AttributeList } from './attribute-list.ts';
import type { Decoder } from './decoder.ts';

/** Byte ranges of repeated messages, to be read later. */
export class RangeList {
  count = 0;
  starts = new Int32Array(16);
  ends = new Int32Array(16);

  clear(): void {
    this.count = 0;
  }

  add(start: number, end: number): void {
    const index = this.count++;
    if (index === this.starts.length) {
      const starts = new Int32Array(index * 2);
      const ends = new Int32Array(index * 2);
      starts.set(this.starts);
      ends.set(this.ends);
      this.starts = starts;
      this.ends = ends;
    }
    this.starts[index] = start;
    this.ends[index] = end;
  }
}

const EVENT_TIME = tagOf(1, FIXED64);
const EVENT_NAME = tagOf(2, LENGTH_DELIMITED);
const EVENT_ATTRIBUTES = tagOf(3, LENGTH_DELIMITED);
const EVENT_DROPPED = tagOf(4, VARINT);

/** One event of a span, refilled for event after event. */
export class EventView {
  readonly attributes: AttributeList;
  readonly #decoder: Decoder;
  nameStart = 0;
  nameEnd = 0;
  timeLow = 0;
  timeHigh = 0;
  droppedAttributesCount = 0;

  constructor(decoder: Decoder, limits: Limits) {
    this.#decoder = decoder;
    this.attributes = new AttributeList(decoder, limits);
  }

  read(start: number, end: number): void {
    const { wire } = this.#decoder;
    this.attributes.clear();
    this.nameStart = this.nameEnd = this.timeLow = this.timeHigh = this.droppedAttributesCount = 0;
    wire.pos = start;
    while (wire.pos < end) {
      const tag = wire.uint32();
      switch (tag) {
        case EVENT_TIME:
          wire.fixed64();
          this.timeLow = wire.low;
          this.timeHigh = wire.high;
          break;
        case EVENT_NAME:
          this.nameEnd = wire.until(end);
          this.nameStart = wire.pos;
          wire.pos = this.nameEnd;
          break;
        case EVENT_ATTRIBUTES:
          this.attributes.add(wire.until(end));
          break;
        case EVENT_DROPPED:
          this.droppedAttributesCount = wire.varint32();
          break;
        default:
          wire.skip(tag, end);
      }
    }
    wire.finish(end);
  }

  get name(): string {
    return this.#decoder.text(this.nameStart, this.nameEnd);
  }

  get timeUnixNano(): bigint {
    return (BigInt(this.timeHigh) << 32n) | BigInt(this.timeLow);
  }
}

const LINK_TRACE_ID = tagOf(1, LENGTH_DELIMITED);
const LINK_SPAN_ID = tagOf(2, LENGTH_DELIMITED);
const LINK_TRACE_STATE = tagOf(3, LENGTH_DELIMITED);
const LINK_ATTRIBUTES = tagOf(4, LENGTH_DELIMITED);
const LINK_DROPPED = tagOf(5, VARINT);
const LINK_FLAGS = tagOf(6, FIXED32);

/** One link of a span, refilled for link after link. */
export class LinkView {
  readonly attributes: AttributeList;
  readonly #decoder: Decoder;
  traceIdStart = 0;
  traceIdEnd = 0;
  spanIdStart = 0;
  spanIdEnd = 0;
  traceStateStart = 0;
  traceStateEnd = 0;
  droppedAttributesCount = 0;
  flags = 0;

  constructor(decoder: Decoder, limits: Limits) {
    this.#decoder = decoder;
    this.attributes = new AttributeList(decoder, limits);
  }

  read(start: number, end: number): void {
    const { wire } = this.#decoder;
    this.attributes.clear();
    this.traceIdStart = this.traceIdEnd = this.spanIdStart = this.spanIdEnd = 0;
    this.traceStateStart = this.traceStateEnd = this.droppedAttributesCount = this.flags = 0;
    wire.pos = start;
    while (wire.pos < end) {
      const tag = wire.uint32();
      switch (tag) {
        case LINK_TRACE_ID:
          this.traceIdEnd = wire.until(end);
          this.traceIdStart = wire.pos;
          wire.pos = this.traceIdEnd;
          break;
        case LINK_SPAN_ID:
          this.spanIdEnd = wire.until(end);
          this.spanIdStart = wire.pos;
          wire.pos = this.spanIdEnd;
          break;
        case LINK_TRACE_STATE:
          this.traceStateEnd = wire.until(end);
          this.traceStateStart = wire.pos;
          wire.pos = this.traceStateEnd;
          break;
        case LINK_ATTRIBUTES:
          this.attributes.add(wire.until(end));
          break;
        case LINK_DROPPED:
          this.droppedAttributesCount = wire.varint32();
          break;
        case LINK_FLAGS:
          this.flags = wire.fixed32();
          break;
        default:
          wire.skip(tag, end);
      }
    }
    wire.finish(end);
  }
}
