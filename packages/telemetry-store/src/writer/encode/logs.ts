import {
  type Decoder,
  type Limits,
  LogView,
  ResourceView,
  ScopeView,
  toJson,
  walkRequest,
} from '@candela/otlp';
import { normaliseLog } from '@candela/semconv';
import { SERVICE_KEY } from '../../schema/own-columns.ts';
import { OTEL_LOGS } from '../../schema/tables.ts';
import { TableWriter } from '../columns/table-writer.ts';
import type { AttributeWriter } from './attributes.ts';
import type { EncodeContext } from './context.ts';
import { GenAiColumns, millisecondsOf, readFacts } from './gen-ai-columns.ts';
import { isZero } from './ids.ts';
import type { Outcome, Reason } from './outcome.ts';
import { environmentOf, TenancyColumns } from './row-head.ts';
import { nanosOf, OUT_OF_RANGE } from './times.ts';

const LC = 'LowCardinality(String)';
const MAP = 'Map(LowCardinality(String), String)';

/** Log records into rows of `otel_logs`. */
export class LogEncoder {
  readonly table = new TableWriter(OTEL_LOGS);
  readonly #decoder: Decoder;
  readonly #attributes: AttributeWriter;
  readonly #resource: ResourceView;
  readonly #scope: ScopeView;
  readonly #log: LogView;
  readonly #tenancy = new TenancyColumns(this.table);
  readonly #genAi = new GenAiColumns(this.table);
  readonly #columns = logColumns(this.table);
  readonly #normalise = () => normaliseLog(this.#log);

  constructor(decoder: Decoder, limits: Limits, attributes: AttributeWriter) {
    this.#decoder = decoder;
    this.#attributes = attributes;
    this.#resource = new ResourceView(decoder, limits);
    this.#scope = new ScopeView(decoder, limits);
    this.#log = new LogView(decoder, this.#resource, this.#scope, limits);
  }

  encode(body: Uint8Array, context: EncodeContext, outcome: Outcome): void {
    const { wire } = this.#decoder;
    const received = nanosOf(context.receivedAtMs);
    let environment: string | undefined;
    let service = '';
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
        this.#log.read(end);
        const refused = this.#refusal();
        if (refused !== undefined) {
          outcome.reject(refused, 'log record', this.#log.eventName);
          wire.pos = end;
          return;
        }
        const row = this.table.nextRow();
        this.#times(row, received);
        this.#ownColumns(row, service);
        this.#shared(row, newResource, newScope);
        this.#tenancy.set(row, environment, context);
        this.#facts(row, outcome);
        newResource = false;
        newScope = false;
        outcome.accepted++;
        wire.pos = end;
      },
    });
  }

  /** A log record need not belong to a span; but half an id is a mistake. */
  #refusal(): Reason | undefined {
    const log = this.#log;
    const trace = log.traceIdEnd - log.traceIdStart;
    const span = log.spanIdEnd - log.spanIdStart;
    if (trace !== 0 && trace !== 16) return 'bad_trace_id';
    if (span !== 0 && span !== 8) return 'bad_span_id';
    if (log.timeHigh >= OUT_OF_RANGE || log.observedHigh >= OUT_OF_RANGE) return 'time_out_of_range';
    return undefined;
  }

  /** Without an observed time it was observed now; without a time it happened when it was observed. */
  #times(row: number, received: { readonly low: number; readonly high: number }): void {
    const log = this.#log;
    const { timestamp, observedTimestamp } = this.#columns;
    const observed =
      log.observedLow === 0 && log.observedHigh === 0
        ? received
        : { low: log.observedLow, high: log.observedHigh };
    observedTimestamp.set(row, observed.low, observed.high);
    if (log.timeLow === 0 && log.timeHigh === 0) timestamp.set(row, observed.low, observed.high);
    else timestamp.set(row, log.timeLow, log.timeHigh);
  }

  #ownColumns(row: number, service: string): void {
    const columns = this.#columns;
    const log = this.#log;
    const { bytes } = this.#decoder.wire;
    if (log.traceIdEnd === log.traceIdStart || isZero(bytes, log.traceIdStart, 16)) columns.traceId.byte(0);
    else columns.traceId.hex(bytes, log.traceIdStart, log.traceIdEnd);
    if (log.spanIdEnd === log.spanIdStart || isZero(bytes, log.spanIdStart, 8)) columns.spanId.byte(0);
    else columns.spanId.hex(bytes, log.spanIdStart, log.spanIdEnd);
    columns.traceFlags.data[row] = log.flags & 0xff;
    columns.severityText.set(row, log.severityText);
    columns.severityNumber.data[row] = log.severityNumber <= 24 ? log.severityNumber : 0;
    columns.serviceName.set(row, service);
    this.#body();
    columns.resourceSchemaUrl.set(row, this.#resource.schemaUrl);
    columns.scopeSchemaUrl.set(row, this.#scope.schemaUrl);
    columns.scopeName.set(row, this.#scope.name);
    columns.scopeVersion.set(row, this.#scope.version);
    columns.eventName.set(row, log.eventName || log.attributes.text('event.name'));
    columns.attributeTypes.set(row, this.#attributes.writeTyped(log.attributes, columns.logAttributes, row));
  }

  /** Text as it is; anything else as JSON. */
  #body(): void {
    const log = this.#log;
    const { body } = this.#columns;
    if (log.bodyIsText) this.#attributes.text(log.bodyStart, log.bodyEnd, body);
    else if (log.bodyStart === log.bodyEnd) body.byte(0);
    else {
      const value = log.bodyValue();
      if (value === null) body.byte(0);
      else this.#attributes.cutText(typeof value === 'string' ? value : toJson(value), body);
    }
  }

  #shared(row: number, newResource: boolean, newScope: boolean): void {
    const { resourceAttributes, scopeAttributes } = this.#columns;
    this.#attributes.writeOnce(this.#resource.attributes, resourceAttributes, row, newResource);
    this.#attributes.writeOnce(this.#scope.attributes, scopeAttributes, row, newScope);
  }

  #facts(row: number, outcome: Outcome): void {
    const log = this.#log;
    const facts = readFacts(this.#normalise, outcome);
    const errorType = log.attributes.text('error.type') || log.attributes.text('exception.type');
    outcome.adjust('counts_rejected', facts?.rejectedCounts ?? 0);
    if (facts === undefined) this.#genAi.setPlain(row, log.attributes, errorType);
    // The normaliser calls a record a model call only when no span tells the same story beside it.
    else if (
      this.#genAi.setFacts(row, facts, log.attributes, errorType, millisecondsOf(log.timeLow, log.timeHigh))
    )
      this.#genAi.countsUsage.data[row] = 1;
  }
}

function logColumns(table: TableWriter) {
  return {
    timestamp: table.column('Timestamp', 'DateTime64(9)'),
    traceId: table.column('TraceId', 'String').sink,
    spanId: table.column('SpanId', 'String').sink,
    traceFlags: table.column('TraceFlags', 'UInt8'),
    severityText: table.column('SeverityText', LC),
    severityNumber: table.column('SeverityNumber', 'UInt8'),
    serviceName: table.column('ServiceName', LC),
    body: table.column('Body', 'String').sink,
    resourceSchemaUrl: table.column('ResourceSchemaUrl', LC),
    resourceAttributes: table.column('ResourceAttributes', MAP),
    scopeSchemaUrl: table.column('ScopeSchemaUrl', LC),
    scopeName: table.column('ScopeName', LC),
    scopeVersion: table.column('ScopeVersion', LC),
    scopeAttributes: table.column('ScopeAttributes', MAP),
    logAttributes: table.column('LogAttributes', MAP),
    eventName: table.column('EventName', LC),
    observedTimestamp: table.column('ObservedTimestamp', 'DateTime64(9)'),
    attributeTypes: table.column('AttributeTypes', LC),
  };
}
