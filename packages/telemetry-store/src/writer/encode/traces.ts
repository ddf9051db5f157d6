import {
  type Decoder,
  EventView,
  type Limits,
  LinkView,
  ResourceView,
  ScopeView,
  SpanView,
  walkRequest,
} from '@candela/otlp';
import { normaliseSpan, thrownTypeOf } from '@candela/semconv';
import { SERVICE_KEY } from '../../schema/own-columns.ts';
import { OTEL_TRACES, UNFINISHED_FLAG } from '../../schema/tables.ts';
import { cutName } from '../columns/bounds.ts';
import { TableWriter } from '../columns/table-writer.ts';
import type { AttributeWriter } from './attributes.ts';
import type { CallsOfRequest } from './calls-of-request.ts';
import { NAMES } from './counts.ts';
import { NOBODY } from './spans-of-request.ts';
import type { EncodeContext } from './context.ts';
import { GenAiColumns, millisecondsOf, readFacts, setFinite } from './gen-ai-columns.ts';
import { isZero } from './ids.ts';
import { tenantHash } from './model-calls.ts';
import type { Outcome, Reason } from './outcome.ts';
import { environmentOf, TenancyColumns } from './row-head.ts';
import { OUT_OF_RANGE } from './times.ts';

const LC = 'LowCardinality(String)';
const MAP = 'Map(LowCardinality(String), String)';
const ARRAY_OF_MAP = 'Array(Map(LowCardinality(String), String))';

const SPAN_KINDS = ['Unspecified', 'Internal', 'Server', 'Client', 'Producer', 'Consumer'];
const STATUS_CODES = ['Unset', 'Ok', 'Error'];

/** Some SDKs send a span when it starts, its end unset, and again when it ends. */
const isUnfinished = (span: SpanView): boolean => span.endHigh === 0 && span.endLow === 0;

/** Spans into rows of `otel_traces`. */
export class TraceEncoder {
  readonly table = new TableWriter(OTEL_TRACES);
  readonly #decoder: Decoder;
  readonly #attributes: AttributeWriter;
  readonly #resource: ResourceView;
  readonly #scope: ScopeView;
  readonly #span: SpanView;
  readonly #event: EventView;
  readonly #link: LinkView;
  readonly #tenancy = new TenancyColumns(this.table);
  readonly #genAi = new GenAiColumns(this.table);
  readonly #columns = traceColumns(this.table);
  readonly #normalise = () => normaliseSpan(this.#span);
  readonly #thrownType = () => thrownTypeOf(this.#span);

  constructor(decoder: Decoder, limits: Limits, attributes: AttributeWriter) {
    this.#decoder = decoder;
    this.#attributes = attributes;
    this.#resource = new ResourceView(decoder, limits);
    this.#scope = new ScopeView(decoder, limits);
    this.#span = new SpanView(decoder, this.#resource, this.#scope, limits);
    this.#event = new EventView(decoder, limits);
    this.#link = new LinkView(decoder, limits);
  }

  encode(body: Uint8Array, context: EncodeContext, outcome: Outcome, calls: CallsOfRequest): void {
    const { wire } = this.#decoder;
    calls.begin(tenantHash(context.projectId));
    let environment: string | undefined;
    let service = '';
    // Resource and scope are written out for the first row below them and copied for the others.
    let newResource = true;
    let newScope = true;
    walkRequest(this.#decoder, body, this.#resource, this.#scope, {
      resource: () => {
        environment = environmentOf(this.#resource.attributes, context, outcome);
        service = this.#resource.attributes.text(SERVICE_KEY);
        newResource = true;
      },
      scope: () => {
        newScope = true;
      },
      record: (end) => {
        if (environment === undefined) {
          wire.pos = end;
          return;
        }
        this.#span.read(end);
        const refused = this.#refusal();
        if (refused !== undefined) {
          outcome.reject(refused, 'span', this.#span.name);
          wire.pos = end;
          return;
        }
        const row = this.table.nextRow();
        this.#ownColumns(row, service);
        this.#nested(row, outcome);
        this.#shared(row, newResource, newScope);
        this.#tenancy.set(row, environment, context);
        this.#facts(row, calls, outcome);
        newResource = false;
        newScope = false;
        outcome.accepted++;
        wire.pos = end;
      },
    });
    calls.settle(wire.view, (row, counts) => {
      this.#genAi.settle(row, counts);
    });
    this.#genAi.endRequest();
  }

  #refusal(): Reason | undefined {
    const span = this.#span;
    const { bytes } = this.#decoder.wire;
    if (span.traceIdEnd - span.traceIdStart !== 16 || isZero(bytes, span.traceIdStart, 16))
      return 'bad_trace_id';
    if (span.spanIdEnd - span.spanIdStart !== 8 || isZero(bytes, span.spanIdStart, 8)) return 'bad_span_id';
    const parent = span.parentEnd - span.parentStart;
    if (parent !== 0 && parent !== 8) return 'bad_parent_span_id';
    if (span.startHigh === 0 && span.startLow === 0) return 'no_start_time';
    if (span.startHigh >= OUT_OF_RANGE || span.endHigh >= OUT_OF_RANGE) return 'time_out_of_range';
    if (isUnfinished(span)) return undefined;
    if (span.endHigh < span.startHigh || (span.endHigh === span.startHigh && span.endLow < span.startLow)) {
      return 'end_before_start';
    }
    return undefined;
  }

  #hasParent(): boolean {
    const { parentStart, parentEnd } = this.#span;
    return parentEnd > parentStart && !isZero(this.#decoder.wire.bytes, parentStart, 8);
  }

  #ownColumns(row: number, service: string): void {
    const columns = this.#columns;
    const span = this.#span;
    const { bytes } = this.#decoder.wire;
    columns.timestamp.set(row, span.startLow, span.startHigh);
    const unfinished = isUnfinished(span);
    const borrow = span.endLow < span.startLow ? 1 : 0;
    if (unfinished) columns.duration.set(row, 0, 0);
    else columns.duration.set(row, span.endLow - span.startLow, span.endHigh - span.startHigh - borrow);
    columns.traceId.hex(bytes, span.traceIdStart, span.traceIdEnd);
    columns.spanId.hex(bytes, span.spanIdStart, span.spanIdEnd);
    if (this.#hasParent()) columns.parentSpanId.hex(bytes, span.parentStart, span.parentEnd);
    else columns.parentSpanId.byte(0);
    this.#attributes.text(span.traceStateStart, span.traceStateEnd, columns.traceState);
    this.#attributes.text(span.statusMessageStart, span.statusMessageEnd, columns.statusMessage);
    columns.spanName.set(row, span.name);
    columns.spanKind.set(row, SPAN_KINDS[span.kind] ?? 'Unspecified');
    columns.serviceName.set(row, service);
    columns.scopeName.set(row, this.#scope.name);
    columns.scopeVersion.set(row, this.#scope.version);
    columns.statusCode.set(row, STATUS_CODES[span.statusCode] ?? 'Unset');
    columns.flags.data[row] = unfinished ? (span.flags | UNFINISHED_FLAG) >>> 0 : span.flags;
    columns.attributeTypes.set(
      row,
      this.#attributes.writeSplit(span.attributes, columns.spanAttributes, columns.contentAttributes, row),
    );
  }

  #shared(row: number, newResource: boolean, newScope: boolean): void {
    const { resourceAttributes, scopeAttributes } = this.#columns;
    this.#attributes.writeOnce(this.#resource.attributes, resourceAttributes, row, newResource);
    this.#attributes.writeOnce(this.#scope.attributes, scopeAttributes, row, newScope);
  }

  #nested(row: number, outcome: Outcome): void {
    const span = this.#span;
    const columns = this.#columns;
    const events = span.eventRanges;
    for (let index = 0; index < events.count; index++) {
      this.#eventItem(events.starts[index] as number, events.ends[index] as number);
    }
    columns.eventTime.endRow(row);
    columns.eventName.endRow(row);
    columns.eventAttributes.endRow(row);
    const links = span.linkRanges;
    for (let index = 0; index < links.count; index++) {
      this.#linkItem(links.starts[index] as number, links.ends[index] as number, outcome);
    }
    columns.linkTraceId.endRow(row);
    columns.linkSpanId.endRow(row);
    columns.linkTraceState.endRow(row);
    columns.linkAttributes.endRow(row);
  }

  #eventItem(start: number, end: number): void {
    const event = this.#event;
    const { eventTime, eventName, eventAttributes } = this.#columns;
    event.read(start, end);
    const item = eventTime.next();
    // A time that the column cannot hold is that of the span: the event itself is worth keeping.
    if (event.timeHigh >= OUT_OF_RANGE) eventTime.items.set(item, this.#span.startLow, this.#span.startHigh);
    else eventTime.items.set(item, event.timeLow, event.timeHigh);
    eventName.items.set(eventName.next(), event.name);
    this.#attributes.write(event.attributes, eventAttributes.items, eventAttributes.next());
  }

  #linkItem(start: number, end: number, outcome: Outcome): void {
    const link = this.#link;
    const { linkTraceId, linkSpanId, linkTraceState, linkAttributes } = this.#columns;
    const { bytes } = this.#decoder.wire;
    link.read(start, end);
    if (link.traceIdEnd - link.traceIdStart !== 16 || link.spanIdEnd - link.spanIdStart !== 8) {
      outcome.adjust('links_dropped', 1);
      return;
    }
    linkTraceId.next();
    linkTraceId.items.sink.hex(bytes, link.traceIdStart, link.traceIdEnd);
    linkSpanId.next();
    linkSpanId.items.sink.hex(bytes, link.spanIdStart, link.spanIdEnd);
    linkTraceState.next();
    this.#attributes.text(link.traceStateStart, link.traceStateEnd, linkTraceState.items.sink);
    this.#attributes.write(link.attributes, linkAttributes.items, linkAttributes.next());
  }

  #facts(row: number, calls: CallsOfRequest, outcome: Outcome): void {
    const span = this.#span;
    const parentAt = this.#hasParent() ? span.parentStart : -1;
    const columns = this.#columns;
    const facts = readFacts(this.#normalise, outcome);
    const named = span.attributes.text('error.type');
    if (facts === undefined) {
      const asks = named === '' && STATUS_CODES[span.statusCode] === 'Error';
      const thrown = asks ? readFacts(this.#thrownType, outcome) : undefined;
      this.#genAi.setPlain(row, span.attributes, thrown ?? named);
      columns.responseId.byte(0);
      calls.addPlain(span.traceIdStart, span.spanIdStart, parentAt);
      return;
    }
    columns.responseId.string(cutName(facts.responseId));
    columns.workflowName.set(row, facts.workflowName);
    columns.promptName.set(row, facts.promptName);
    columns.promptVersion.set(row, facts.promptVersion);
    columns.finishReason.set(row, facts.finishReason);
    setFinite(columns.timeToFirstTokenMs, row, facts.timeToFirstTokenMs);
    outcome.adjust('counts_rejected', facts.rejectedCounts);
    const atMs = millisecondsOf(span.startLow, span.startHigh);
    this.#genAi.setFacts(row, facts, span.attributes, named, atMs);
    const { operation, usage, responseId } = facts;
    if (!facts.isModelCall)
      calls.addOther(usage === undefined ? NOBODY : row, span.traceIdStart, span.spanIdStart, parentAt);
    else if (usage === undefined) calls.addPlain(span.traceIdStart, span.spanIdStart, parentAt);
    else {
      const names =
        (facts.sessionId === '' ? 0 : NAMES.session) |
        (facts.agentName === '' ? 0 : NAMES.agent) |
        (facts.userId === '' ? 0 : NAMES.user);
      calls.addCall(row, span.traceIdStart, span.spanIdStart, parentAt, {
        operation,
        usage,
        responseId: cutName(responseId),
        names,
        scope: tenantHash(this.#scope.name),
        second: Math.floor(atMs / 1000) | 0,
      });
    }
  }
}

function traceColumns(table: TableWriter) {
  return {
    timestamp: table.column('Timestamp', 'DateTime64(9)'),
    traceId: table.column('TraceId', 'String').sink,
    spanId: table.column('SpanId', 'String').sink,
    parentSpanId: table.column('ParentSpanId', 'String').sink,
    traceState: table.column('TraceState', 'String').sink,
    spanName: table.column('SpanName', LC),
    spanKind: table.column('SpanKind', LC),
    serviceName: table.column('ServiceName', LC),
    resourceAttributes: table.column('ResourceAttributes', MAP),
    scopeName: table.column('ScopeName', LC),
    scopeVersion: table.column('ScopeVersion', LC),
    spanAttributes: table.column('SpanAttributes', MAP),
    duration: table.column('Duration', 'UInt64'),
    statusCode: table.column('StatusCode', LC),
    statusMessage: table.column('StatusMessage', 'String').sink,
    eventTime: table.column('Events.Timestamp', 'Array(DateTime64(9))'),
    eventName: table.column('Events.Name', 'Array(LowCardinality(String))'),
    eventAttributes: table.column('Events.Attributes', ARRAY_OF_MAP),
    linkTraceId: table.column('Links.TraceId', 'Array(String)'),
    linkSpanId: table.column('Links.SpanId', 'Array(String)'),
    linkTraceState: table.column('Links.TraceState', 'Array(String)'),
    linkAttributes: table.column('Links.Attributes', ARRAY_OF_MAP),
    scopeAttributes: table.column('ScopeAttributes', MAP),
    flags: table.column('Flags', 'UInt32'),
    contentAttributes: table.column('ContentAttributes', MAP),
    attributeTypes: table.column('AttributeTypes', LC),
    responseId: table.column('ResponseId', 'String').sink,
    workflowName: table.column('WorkflowName', LC),
    promptName: table.column('PromptName', LC),
    promptVersion: table.column('PromptVersion', LC),
    finishReason: table.column('FinishReason', LC),
    timeToFirstTokenMs: table.column('TimeToFirstTokenMs', 'Nullable(Float64)'),
  };
}
