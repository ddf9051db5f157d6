import type { Limits } from '../limits.ts';
import { LENGTH_DELIMITED, tagOf, VARINT } from '../wire/wire.ts';
import { AttributeList } from './attribute-list.ts';
import type { Decoder } from './decoder.ts';

const FIELD_1 = tagOf(1, LENGTH_DELIMITED);
const FIELD_2 = tagOf(2, LENGTH_DELIMITED);
const FIELD_3 = tagOf(3, LENGTH_DELIMITED);
const DROPPED_RESOURCE = tagOf(2, VARINT);
const DROPPED_SCOPE = tagOf(4, VARINT);

/** The resource that the records being read belong to. */
export class ResourceView {
  readonly attributes: AttributeList;
  droppedAttributesCount = 0;
  schemaUrl = '';

  constructor(decoder: Decoder, limits: Limits) {
    this.attributes = new AttributeList(decoder, limits);
  }

  clear(): void {
    this.attributes.clear();
    this.droppedAttributesCount = 0;
    this.schemaUrl = '';
  }

  /** Reads a Resource message from the wire's position to `end`. */
  read(decoder: Decoder, end: number): void {
    const { wire } = decoder;
    while (wire.pos < end) {
      const tag = wire.uint32();
      if (tag === FIELD_1) this.attributes.add(wire.until(end));
      else if (tag === DROPPED_RESOURCE) this.droppedAttributesCount = wire.varint32();
      else wire.skip(tag, end);
    }
    wire.finish(end);
  }
}

/** The instrumentation scope that the records being read belong to. */
export class ScopeView {
  readonly attributes: AttributeList;
  name = '';
  version = '';
  droppedAttributesCount = 0;
  schemaUrl = '';

  constructor(decoder: Decoder, limits: Limits) {
    this.attributes = new AttributeList(decoder, limits);
  }

  clear(): void {
    this.attributes.clear();
    this.name = '';
    this.version = '';
    this.droppedAttributesCount = 0;
    this.schemaUrl = '';
  }

  /** Reads an InstrumentationScope message from the wire's position to `end`. */
  read(decoder: Decoder, end: number): void {
    const { wire } = decoder;
    while (wire.pos < end) {
      const tag = wire.uint32();
      if (tag === FIELD_1) this.name = readText(decoder, end);
      else if (tag === FIELD_2) this.version = readText(decoder, end);
      else if (tag === FIELD_3) this.attributes.add(wire.until(end));
      else if (tag === DROPPED_SCOPE) this.droppedAttributesCount = wire.varint32();
      else wire.skip(tag, end);
    }
    wire.finish(end);
  }
}

/** A length-delimited text field at the wire's position. */
export function readText(decoder: Decoder, end: number): string {
  const { wire } = decoder;
  const until = wire.until(end);
  const text = decoder.text(wire.pos, until);
  wire.pos = until;
  return text;
}

/** Told about the parts of an export request in their order. */
export interface RequestVisitor {
  /** A new resource; its view is filled. */
  resource(): void;
  /** A new scope of that resource; its view is filled. */
  scope(): void;
  /** A record (span, log record, metric) lies in bytes `wire.pos..end`; the visitor must leave the wire at `end`. */
  record(end: number): void;
}

/**
 * Walks an Export{Trace,Logs,Metrics}ServiceRequest: the three have the same three levels with the same numbers.
 * Fields may come in any order, so each level is looked through for its head (resource, scope, schema URL) before
 * its records are read; skipping a field costs next to nothing.
 */
export function walkRequest(
  decoder: Decoder,
  body: Uint8Array,
  resource: ResourceView,
  scope: ScopeView,
  visitor: RequestVisitor,
): void {
  decoder.open(body);
  const { wire } = decoder;
  const end = body.length;
  while (wire.pos < end) {
    const tag = wire.uint32();
    if (tag === FIELD_1) walkResource(decoder, wire.until(end), resource, scope, visitor);
    else wire.skip(tag, end);
  }
  wire.finish(end);
}

function walkResource(
  decoder: Decoder,
  end: number,
  resource: ResourceView,
  scope: ScopeView,
  visitor: RequestVisitor,
): void {
  const { wire } = decoder;
  const start = wire.pos;
  resource.clear();
  while (wire.pos < end) {
    const tag = wire.uint32();
    if (tag === FIELD_1) resource.read(decoder, wire.until(end));
    else if (tag === FIELD_3) resource.schemaUrl = readText(decoder, end);
    else wire.skip(tag, end);
  }
  wire.finish(end);
  visitor.resource();
  wire.pos = start;
  while (wire.pos < end) {
    const tag = wire.uint32();
    if (tag === FIELD_2) walkScope(decoder, wire.until(end), scope, visitor);
    else wire.skip(tag, end);
  }
}

function walkScope(decoder: Decoder, end: number, scope: ScopeView, visitor: RequestVisitor): void {
  const { wire } = decoder;
  const start = wire.pos;
  scope.clear();
  while (wire.pos < end) {
    const tag = wire.uint32();
    if (tag === FIELD_1) scope.read(decoder, wire.until(end));
    else if (tag === FIELD_3) scope.schemaUrl = readText(decoder, end);
    else wire.skip(tag, end);
  }
  wire.finish(end);
  visitor.scope();
  wire.pos = start;
  while (wire.pos < end) {
    const tag = wire.uint32();
    if (tag === FIELD_2) visitor.record(wire.until(end));
    else wire.skip(tag, end);
  }
}
