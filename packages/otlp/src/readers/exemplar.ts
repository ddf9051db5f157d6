import type { Limits } from '../limits.ts';
import { FIXED64, LENGTH_DELIMITED, tagOf } from '../wire/wire.ts';
import { integerOf } from './any-value.ts';
import { AttributeList } from './attribute-list.ts';
import type { Decoder } from './decoder.ts';

const TIME = tagOf(2, FIXED64);
const AS_DOUBLE = tagOf(3, FIXED64);
const SPAN_ID = tagOf(4, LENGTH_DELIMITED);
const TRACE_ID = tagOf(5, LENGTH_DELIMITED);
const AS_INT = tagOf(6, FIXED64);
const ATTRIBUTES = tagOf(7, LENGTH_DELIMITED);

/** One exemplar of a data point, refilled for exemplar after exemplar. */
export class ExemplarView {
  readonly attributes: AttributeList;
  readonly #decoder: Decoder;
  timeLow = 0;
  timeHigh = 0;
  value = 0;
  spanIdStart = 0;
  spanIdEnd = 0;
  traceIdStart = 0;
  traceIdEnd = 0;

  constructor(decoder: Decoder, limits: Limits) {
    this.#decoder = decoder;
    this.attributes = new AttributeList(decoder, limits);
  }

  read(start: number, end: number): void {
    const { wire } = this.#decoder;
    this.attributes.clear();
    this.timeLow = this.timeHigh = this.value = 0;
    this.spanIdStart = this.spanIdEnd = this.traceIdStart = this.traceIdEnd = 0;
    wire.pos = start;
    while (wire.pos < end) {
      const tag = wire.uint32();
      switch (tag) {
        case TIME:
          wire.fixed64();
          this.timeLow = wire.low;
          this.timeHigh = wire.high;
          break;
        case AS_DOUBLE:
          this.value = wire.double();
          break;
        case AS_INT:
          wire.fixed64();
          this.value = Number(integerOf(wire.low, wire.high));
          break;
        case SPAN_ID:
          this.spanIdEnd = wire.until(end);
          this.spanIdStart = wire.pos;
          wire.pos = this.spanIdEnd;
          break;
        case TRACE_ID:
          this.traceIdEnd = wire.until(end);
          this.traceIdStart = wire.pos;
          wire.pos = this.traceIdEnd;
          break;
        case ATTRIBUTES:
          this.attributes.add(wire.until(end));
          break;
        default:
          wire.skip(tag, end);
      }
    }
    wire.finish(end);
  }
}
