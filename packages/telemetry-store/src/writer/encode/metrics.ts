import {
  type Decoder,
  type Limits,
  METRIC_KINDS,
  type MetricKind,
  MetricView,
  PointView,
  ResourceView,
  ScopeView,
  walkRequest,
} from '@candela/otlp';
import { SERVICE_KEY } from '../../schema/own-columns.ts';
import type { TableWriter } from '../columns/table-writer.ts';
import type { AttributeWriter } from './attributes.ts';
import type { EncodeContext } from './context.ts';
import { METRIC_WRITERS, type MetricWriter } from './metric-kinds.ts';
import { MetricIdentity } from './metric-identity.ts';
import type { Outcome, Reason } from './outcome.ts';
import { environmentOf } from './row-head.ts';
import { nanosOf, OUT_OF_RANGE } from './times.ts';

/** Data points into rows of the five metric tables. */
export class MetricEncoder {
  readonly tables: readonly TableWriter[];
  readonly #decoder: Decoder;
  readonly #resource: ResourceView;
  readonly #scope: ScopeView;
  readonly #metric: MetricView;
  readonly #point: PointView;
  readonly #writers: ReadonlyMap<MetricKind, MetricWriter>;
  readonly #identities: ReadonlyMap<MetricKind, MetricIdentity>;

  constructor(decoder: Decoder, limits: Limits, attributes: AttributeWriter) {
    this.#decoder = decoder;
    this.#resource = new ResourceView(decoder, limits);
    this.#scope = new ScopeView(decoder, limits);
    this.#metric = new MetricView(decoder);
    this.#point = new PointView(decoder, limits);
    this.#writers = new Map(
      METRIC_KINDS.map((kind) => [kind, METRIC_WRITERS[kind](decoder, limits, attributes)]),
    );
    this.#identities = new Map(
      METRIC_KINDS.map((kind) => [
        kind,
        new MetricIdentity(this.#writer(kind).table, attributes, this.#resource, this.#scope),
      ]),
    );
    this.tables = METRIC_KINDS.map((kind) => this.#writer(kind).table);
  }

  encode(body: Uint8Array, context: EncodeContext, outcome: Outcome): void {
    const { wire } = this.#decoder;
    const received = nanosOf(context.receivedAtMs);
    let environment: string | undefined;
    let service = '';
    walkRequest(this.#decoder, body, this.#resource, this.#scope, {
      resource: () => {
        environment = environmentOf(this.#resource.attributes, context, outcome);
        service = this.#resource.attributes.text(SERVICE_KEY);
        for (const identity of this.#identities.values()) identity.newResource();
      },
      scope: () => {
        for (const identity of this.#identities.values()) identity.newScope();
      },
      record: (end) => {
        const of = environment;
        if (of === undefined) {
          wire.pos = end;
          return;
        }
        const metric = this.#metric;
        metric.read(end);
        const { kind } = metric;
        if (kind !== undefined) {
          const writer = this.#writer(kind);
          const identity = this.#identities.get(kind) as MetricIdentity;
          metric.eachPoint((pointEnd) => {
            const point = this.#point;
            point.read(kind, pointEnd);
            const refused = outOfRange(point) ?? writer.refusal(point);
            if (refused !== undefined) outcome.reject(refused, 'data point of', metric.name);
            else {
              const row = writer.table.nextRow();
              identity.set(row, metric, point, service, of, context, received);
              writer.set(row, metric, point);
              outcome.accepted++;
            }
            wire.pos = pointEnd;
          });
        }
        wire.pos = end;
      },
    });
  }

  #writer(kind: MetricKind): MetricWriter {
    return this.#writers.get(kind) as MetricWriter;
  }
}

function outOfRange(point: PointView): Reason | undefined {
  return point.timeHigh >= OUT_OF_RANGE || point.startHigh >= OUT_OF_RANGE ? 'time_out_of_range' : undefined;
}
