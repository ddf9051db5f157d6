import type { Attributes, AttributeValue, SpanEvent } from '@candela/semconv';
import { decodeMessage } from '../messages/decode.ts';
import { EVENT } from '../messages/schema.ts';
import type { Decoder } from './decoder.ts';

interface EventValue {
  readonly name?: string;
  readonly timeUnixNano?: bigint;
  readonly attributes?: Map<string, AttributeValue>;
}

/** An event that is read whole when first looked at. Off the hot path: few normalisers look at events. */
export class LazyEvent implements SpanEvent {
  readonly #decoder: Decoder;
  readonly #start: number;
  readonly #end: number;
  #value: EventValue | undefined;

  constructor(decoder: Decoder, start: number, end: number) {
    this.#decoder = decoder;
    this.#start = start;
    this.#end = end;
  }

  get name(): string {
    return this.#read().name ?? '';
  }

  get timeUnixNano(): bigint {
    return this.#read().timeUnixNano ?? 0n;
  }

  get attributes(): Attributes {
    return this.#read().attributes ?? NONE;
  }

  #read(): EventValue {
    if (this.#value === undefined) {
      const { wire } = this.#decoder;
      const { pos } = wire;
      wire.pos = this.#start;
      this.#value = decodeMessage(wire, EVENT, this.#end) as EventValue;
      wire.pos = pos;
    }
    return this.#value;
  }
}

const NONE: Attributes = new Map();
