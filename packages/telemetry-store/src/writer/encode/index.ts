import type { Signal } from '@candela/kernel';
import { Decoder, type Format, jsonToProtobuf, type Limits } from '@candela/otlp';
import { isContentKey } from '@candela/semconv';
import type { TableWriter } from '../columns/table-writer.ts';
import { AttributeWriter } from './attributes.ts';
import type { EncodeContext, EncodedBlock, EncodeResult } from './context.ts';
import { LogEncoder } from './logs.ts';
import { MetricEncoder } from './metrics.ts';
import { CallsOfRequest } from './calls-of-request.ts';
import { ModelCallRegistry } from './model-calls.ts';
import { Outcome } from './outcome.ts';
import { TraceEncoder } from './traces.ts';

export type { EncodeContext, EncodedBlock, EncodeResult } from './context.ts';
export { createModelCallRegistry } from './model-calls.ts';

/** Everything one thread needs to encode requests, with its buffers; reused for every request. */
class RequestEncoder {
  readonly limits: Limits;
  readonly #decoder = new Decoder(isContentKey);
  readonly #attributes: AttributeWriter;
  readonly #traces: TraceEncoder;
  readonly #logs: LogEncoder;
  readonly #metrics: MetricEncoder;

  constructor(limits: Limits) {
    this.limits = limits;
    this.#attributes = new AttributeWriter(this.#decoder, limits);
    this.#traces = new TraceEncoder(this.#decoder, limits, this.#attributes);
    this.#logs = new LogEncoder(this.#decoder, limits, this.#attributes);
    this.#metrics = new MetricEncoder(this.#decoder, limits, this.#attributes);
  }

  encode(signal: Signal, body: Uint8Array, context: EncodeContext): EncodeResult {
    const outcome = new Outcome();
    this.#attributes.outcome = outcome;
    const tables = this.#tables(signal);
    try {
      this.#fill(signal, body, context, outcome);
      for (const table of tables) outcome.adjust('names_cut', table.cuts());
      return {
        blocks: tables.filter((table) => table.rows > 0).map(blockOf),
        accepted: outcome.accepted,
        rejected: outcome.rejected,
        reasons: outcome.reasons,
        adjusted: outcome.adjusted,
        message: outcome.message(),
        environments: [...outcome.environments],
        sdks: [...outcome.sdks],
        services: [...outcome.services],
      };
    } finally {
      for (const table of tables) table.reset();
      this.#decoder.close();
    }
  }

  #tables(signal: Signal): readonly TableWriter[] {
    if (signal === 'traces') return [this.#traces.table];
    return signal === 'logs' ? [this.#logs.table] : this.#metrics.tables;
  }

  #fill(signal: Signal, body: Uint8Array, context: EncodeContext, outcome: Outcome): void {
    if (signal === 'traces') this.#traces.encode(body, context, outcome, callsOf(context.modelCalls));
    else if (signal === 'logs') this.#logs.encode(body, context, outcome);
    else this.#metrics.encode(body, context, outcome);
  }
}

function blockOf(table: TableWriter): EncodedBlock {
  const { rows } = table;
  return { table: table.table.name, rows, bytes: table.finish() };
}

let encoder: RequestEncoder | undefined;

function encoderFor(limits: Limits): RequestEncoder {
  const known = encoder?.limits;
  if (
    encoder === undefined ||
    known?.attributes !== limits.attributes ||
    known.valueBytes !== limits.valueBytes ||
    known.keyBytes !== limits.keyBytes
  ) {
    encoder = new RequestEncoder(limits);
  }
  return encoder;
}

let remembered: { memory: SharedArrayBuffer | undefined; calls: CallsOfRequest } | undefined;

function callsOf(memory: SharedArrayBuffer | undefined): CallsOfRequest {
  if (remembered === undefined || remembered.memory !== memory) {
    remembered = { memory, calls: new CallsOfRequest(new ModelCallRegistry(memory)) };
  }
  return remembered.calls;
}

/**
 * One OTLP request into `Native` blocks, one for each table that gets rows. Records that are not valid are counted
 * and left out; a body that cannot be read at all throws `undecodable`. Synchronous and not re-entrant: meant for a
 * worker thread, whose buffers it keeps.
 */
export function encodeRequest(
  signal: Signal,
  format: Format,
  body: Uint8Array,
  context: EncodeContext,
): EncodeResult {
  const bytes = format === 'json' ? jsonToProtobuf(signal, body) : body;
  return encoderFor(context.limits).encode(signal, bytes, context);
}
