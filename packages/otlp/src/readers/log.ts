import type { AttributeReader, AttributeValue, LogReader } from '@candela/semconv';
import type { Limits } from '../limits.ts';
import { FIXED32, FIXED64, LENGTH_DELIMITED, tagOf, VARINT } from '../wire/wire.ts';
import { ANY_STRING } from './any-value.ts';
import { AttributeList } from './attribute-list.ts';
import type { ResourceView, ScopeView } from './containers.ts';
import type { Decoder } from './decoder.ts';

const TIME = tagOf(1, FIXED64);
const SEVERITY_NUMBER = tagOf(2, VARINT);
const SEVERITY_TEXT = tagOf(3, LENGTH_DELIMITED);
const BODY = tagOf(5, LENGTH_DELIMITED);
const ATTRIBUTES = tagOf(6, LENGTH_DELIMITED);
const DROPPED_ATTRIBUTES = tagOf(7, VARINT);
const FLAGS = tagOf(8, FIXED32);
const TRACE_ID = tagOf(9, LENGTH_DELIMITED);
const SPAN_ID = tagOf(10, LENGTH_DELIMITED);
const OBSERVED = tagOf(11, FIXED64);
const EVENT_NAME = tagOf(12, LENGTH_DELIMITED);

/** One log record, refilled for record after record; byte ranges point into the body. */
export class LogView implements LogReader {
  readonly attributes: AttributeList;
  readonly #decoder: Decoder;
  readonly #resource: ResourceView;
  readonly #scope: ScopeView;

  timeLow = 0;
  timeHigh = 0;
  observedLow = 0;
  observedHigh = 0;
  severityNumber = 0;
  severityText = '';
  flags = 0;
  droppedAttributesCount = 0;
  traceIdStart = 0;
  traceIdEnd = 0;
  spanIdStart = 0;
  spanIdEnd = 0;
  eventName = '';
  /** Range of the body's text, when it is text. */
  bodyIsText = false;
  bodyStart = 0;
  bodyEnd = 0;

  constructor(decoder: Decoder, resource: ResourceView, scope: ScopeView, limits: Limits) {
    this.#decoder = decoder;
    this.#resource = resource;
    this.#scope = scope;
    this.attributes = new AttributeList(decoder, limits);
  }

  /** Reads a LogRecord message from the wire's position to `end`. */
  read(end: number): void {
    this.#clear();
    const { wire } = this.#decoder;
    while (wire.pos < end) {
      const tag = wire.uint32();
      switch (tag) {
        case ATTRIBUTES:
          this.attributes.add(wire.until(end));
          break;
        case TIME:
          wire.fixed64();
          this.timeLow = wire.low;
          this.timeHigh = wire.high;
          break;
        case OBSERVED:
          wire.fixed64();
          this.observedLow = wire.low;
          this.observedHigh = wire.high;
          break;
        case SEVERITY_NUMBER:
          this.severityNumber = wire.varint32();
          break;
        case SEVERITY_TEXT:
          this.severityText = this.#text(end);
          break;
        case EVENT_NAME:
          this.eventName = this.#text(end);
          break;
        case BODY:
          this.bodyEnd = wire.until(end);
          this.bodyStart = wire.pos;
          wire.pos = this.bodyEnd;
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
        case FLAGS:
          this.flags = wire.fixed32();
          break;
        case DROPPED_ATTRIBUTES:
          this.droppedAttributesCount = wire.varint32();
          break;
        default:
          wire.skip(tag, end);
      }
    }
    wire.finish(end);
    this.#findBodyText();
  }

  #clear(): void {
    this.attributes.clear();
    this.timeLow = this.timeHigh = this.observedLow = this.observedHigh = 0;
    this.severityNumber = this.flags = this.droppedAttributesCount = 0;
    this.severityText = this.eventName = '';
    this.traceIdStart = this.traceIdEnd = this.spanIdStart = this.spanIdEnd = 0;
    this.bodyStart = this.bodyEnd = 0;
    this.bodyIsText = false;
  }

  #text(end: number): string {
    const { wire } = this.#decoder;
    const until = wire.until(end);
    const text = this.#decoder.text(wire.pos, until);
    wire.pos = until;
    return text;
  }

  /** Narrows the body's range to its text when it is nothing but text; other bodies keep the AnyValue's range. */
  #findBodyText(): void {
    if (this.bodyStart === this.bodyEnd) return;
    const { wire } = this.#decoder;
    const { pos } = wire;
    wire.pos = this.bodyStart;
    if (wire.uint32() === ANY_STRING) {
      const until = wire.until(this.bodyEnd);
      if (until === this.bodyEnd) {
        this.bodyIsText = true;
        this.bodyStart = wire.pos;
      }
    }
    wire.pos = pos;
  }

  /** The body when it is no text; null when there is none. */
  bodyValue(): AttributeValue {
    return this.#decoder.value(this.bodyStart, this.bodyEnd);
  }

  get body(): string | undefined {
    return this.bodyIsText ? this.#decoder.text(this.bodyStart, this.bodyEnd) : undefined;
  }

  get scopeName(): string {
    return this.#scope.name;
  }

  get resource(): AttributeReader {
    return this.#resource.attributes;
  }
}
