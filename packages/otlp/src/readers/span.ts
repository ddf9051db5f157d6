import type { AttributeReader, SpanEvent, SpanReader } from '@candela/semconv';
import type { Limits } from '../limits.ts';
import { FIXED32, FIXED64, LENGTH_DELIMITED, tagOf, VARINT } from '../wire/wire.ts';
import { AttributeList } from './attribute-list.ts';
import type { ResourceView, ScopeView } from './containers.ts';
import type { Decoder } from './decoder.ts';
import { LazyEvent } from './lazy-event.ts';
import { RangeList } from './span-parts.ts';

const TRACE_ID = tagOf(1, LENGTH_DELIMITED);
const SPAN_ID = tagOf(2, LENGTH_DELIMITED);
const TRACE_STATE = tagOf(3, LENGTH_DELIMITED);
const PARENT_SPAN_ID = tagOf(4, LENGTH_DELIMITED);
const NAME = tagOf(5, LENGTH_DELIMITED);
const SPAN_KIND = tagOf(6, VARINT);
const START = tagOf(7, FIXED64);
const END = tagOf(8, FIXED64);
const ATTRIBUTES = tagOf(9, LENGTH_DELIMITED);
const DROPPED_ATTRIBUTES = tagOf(10, VARINT);
const EVENTS = tagOf(11, LENGTH_DELIMITED);
const DROPPED_EVENTS = tagOf(12, VARINT);
const LINKS = tagOf(13, LENGTH_DELIMITED);
const DROPPED_LINKS = tagOf(14, VARINT);
const STATUS = tagOf(15, LENGTH_DELIMITED);
const FLAGS = tagOf(16, FIXED32);
const STATUS_MESSAGE = tagOf(2, LENGTH_DELIMITED);
const STATUS_CODE = tagOf(3, VARINT);

/** A body may hold millions of empty events; no normaliser needs more than the first. */
const MAX_LISTED_EVENTS = 1000;

/**
 * One span, refilled for span after span. Byte ranges (`...Start`, `...End`) point into the body; the getters of
 * {@link SpanReader} make strings and bigints only when asked.
 */
export class SpanView implements SpanReader {
  readonly attributes: AttributeList;
  readonly #decoder: Decoder;
  readonly #resource: ResourceView;
  readonly #scope: ScopeView;
  #events: SpanEvent[] | undefined;
  #name: string | undefined;

  traceIdStart = 0;
  traceIdEnd = 0;
  spanIdStart = 0;
  spanIdEnd = 0;
  parentStart = 0;
  parentEnd = 0;
  traceStateStart = 0;
  traceStateEnd = 0;
  nameStart = 0;
  nameEnd = 0;
  statusMessageStart = 0;
  statusMessageEnd = 0;
  startLow = 0;
  startHigh = 0;
  endLow = 0;
  endHigh = 0;
  kind = 0;
  statusCode = 0;
  flags = 0;
  droppedAttributesCount = 0;
  droppedEventsCount = 0;
  droppedLinksCount = 0;
  readonly eventRanges = new RangeList();
  readonly linkRanges = new RangeList();

  constructor(decoder: Decoder, resource: ResourceView, scope: ScopeView, limits: Limits) {
    this.#decoder = decoder;
    this.#resource = resource;
    this.#scope = scope;
    this.attributes = new AttributeList(decoder, limits);
  }

  /** Reads a Span message from the wire's position to `end`. */
  read(end: number): void {
    this.#clear();
    const { wire } = this.#decoder;
    while (wire.pos < end) {
      const tag = wire.uint32();
      switch (tag) {
        case ATTRIBUTES:
          this.attributes.add(wire.until(end));
          break;
        case TRACE_ID:
          this.traceIdEnd = wire.until(end);
          this.traceIdStart = wire.pos;
          wire.pos = this.traceIdEnd;
          break;
        case SPAN_ID:
          this.spanIdEnd = wire.until(end);
          this.spanIdStart = wire.pos;
          wire.pos = this.spanIdEnd;
          break;
        case PARENT_SPAN_ID:
          this.parentEnd = wire.until(end);
          this.parentStart = wire.pos;
          wire.pos = this.parentEnd;
          break;
        case NAME:
          this.nameEnd = wire.until(end);
          this.nameStart = wire.pos;
          wire.pos = this.nameEnd;
          break;
        case SPAN_KIND:
          this.kind = wire.varint32();
          break;
        case START:
          wire.fixed64();
          this.startLow = wire.low;
          this.startHigh = wire.high;
          break;
        case END:
          wire.fixed64();
          this.endLow = wire.low;
          this.endHigh = wire.high;
          break;
        case STATUS:
          this.#status(wire.until(end));
          break;
        case FLAGS:
          this.flags = wire.fixed32();
          break;
        case TRACE_STATE:
          this.traceStateEnd = wire.until(end);
          this.traceStateStart = wire.pos;
          wire.pos = this.traceStateEnd;
          break;
        case EVENTS:
          this.#range(this.eventRanges, end);
          break;
        case LINKS:
          this.#range(this.linkRanges, end);
          break;
        case DROPPED_ATTRIBUTES:
          this.droppedAttributesCount = wire.varint32();
          break;
        case DROPPED_EVENTS:
          this.droppedEventsCount = wire.varint32();
          break;
        case DROPPED_LINKS:
          this.droppedLinksCount = wire.varint32();
          break;
        default:
          wire.skip(tag, end);
      }
    }
    wire.finish(end);
  }

  #clear(): void {
    this.attributes.clear();
    this.eventRanges.clear();
    this.linkRanges.clear();
    this.#events = undefined;
    this.#name = undefined;
    this.traceIdStart = this.traceIdEnd = this.spanIdStart = this.spanIdEnd = 0;
    this.parentStart = this.parentEnd = this.traceStateStart = this.traceStateEnd = 0;
    this.nameStart = this.nameEnd = this.statusMessageStart = this.statusMessageEnd = 0;
    this.startLow = this.startHigh = this.endLow = this.endHigh = 0;
    this.kind = this.statusCode = this.flags = 0;
    this.droppedAttributesCount = this.droppedEventsCount = this.droppedLinksCount = 0;
  }

  #range(list: RangeList, end: number): void {
    const { wire } = this.#decoder;
    const until = wire.until(end);
    list.add(wire.pos, until);
    wire.pos = until;
  }

  #status(end: number): void {
    const { wire } = this.#decoder;
    while (wire.pos < end) {
      const tag = wire.uint32();
      if (tag === STATUS_CODE) this.statusCode = wire.varint32();
      else if (tag === STATUS_MESSAGE) {
        this.statusMessageEnd = wire.until(end);
        this.statusMessageStart = wire.pos;
        wire.pos = this.statusMessageEnd;
      } else wire.skip(tag, end);
    }
    wire.finish(end);
  }

  get name(): string {
    this.#name ??= this.#decoder.text(this.nameStart, this.nameEnd);
    return this.#name;
  }

  get statusMessage(): string {
    return this.#decoder.text(this.statusMessageStart, this.statusMessageEnd);
  }

  get scopeName(): string {
    return this.#scope.name;
  }

  get resource(): AttributeReader {
    return this.#resource.attributes;
  }

  get startTimeUnixNano(): bigint {
    return (BigInt(this.startHigh) << 32n) | BigInt(this.startLow);
  }

  get endTimeUnixNano(): bigint {
    return (BigInt(this.endHigh) << 32n) | BigInt(this.endLow);
  }

  /** For normalisers: the first events, each read when it is asked for. The columns take them all, from their ranges. */
  get events(): readonly SpanEvent[] {
    if (this.#events === undefined) {
      this.#events = [];
      const count = Math.min(this.eventRanges.count, MAX_LISTED_EVENTS);
      for (let index = 0; index < count; index++) {
        const start = this.eventRanges.starts[index] as number;
        this.#events.push(new LazyEvent(this.#decoder, start, this.eventRanges.ends[index] as number));
      }
    }
    return this.#events;
  }
}
