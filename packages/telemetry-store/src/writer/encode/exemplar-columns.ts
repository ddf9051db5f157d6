import { type Decoder, ExemplarView, type Limits, type PointView } from '@candela/otlp';
import type { ByteSink } from '../columns/byte-sink.ts';
import type { TableWriter } from '../columns/table-writer.ts';
import type { AttributeWriter } from './attributes.ts';
import { OUT_OF_RANGE } from './times.ts';

/** Fills the `Exemplars.*` columns, whose arrays are of one length in each row. */
export class ExemplarColumns {
  readonly #decoder: Decoder;
  readonly #attributes: AttributeWriter;
  readonly #view: ExemplarView;
  readonly #filtered;
  readonly #time;
  readonly #value;
  readonly #spanId;
  readonly #traceId;

  constructor(table: TableWriter, decoder: Decoder, limits: Limits, attributes: AttributeWriter) {
    this.#decoder = decoder;
    this.#attributes = attributes;
    this.#view = new ExemplarView(decoder, limits);
    this.#filtered = table.column(
      'Exemplars.FilteredAttributes',
      'Array(Map(LowCardinality(String), String))',
    );
    this.#time = table.column('Exemplars.TimeUnix', 'Array(DateTime64(9))');
    this.#value = table.column('Exemplars.Value', 'Array(Float64)');
    this.#spanId = table.column('Exemplars.SpanId', 'Array(String)');
    this.#traceId = table.column('Exemplars.TraceId', 'Array(String)');
  }

  set(row: number, point: PointView): void {
    const ranges = point.exemplars;
    for (let index = 0; index < ranges.count; index++) {
      this.#item(ranges.starts[index] as number, ranges.ends[index] as number, point);
    }
    this.#filtered.endRow(row);
    this.#time.endRow(row);
    this.#value.endRow(row);
    this.#spanId.endRow(row);
    this.#traceId.endRow(row);
  }

  #item(start: number, end: number, point: PointView): void {
    const exemplar = this.#view;
    exemplar.read(start, end);
    const item = this.#filtered.next();
    this.#attributes.write(exemplar.attributes, this.#filtered.items, item);
    this.#time.next();
    if (exemplar.timeHigh >= OUT_OF_RANGE) this.#time.items.set(item, point.timeLow, point.timeHigh);
    else this.#time.items.set(item, exemplar.timeLow, exemplar.timeHigh);
    this.#value.next();
    this.#value.items.data[item] = exemplar.value;
    this.#spanId.next();
    this.#id(this.#spanId.items.sink, exemplar.spanIdStart, exemplar.spanIdEnd, 8);
    this.#traceId.next();
    this.#id(this.#traceId.items.sink, exemplar.traceIdStart, exemplar.traceIdEnd, 16);
  }

  /** An id of the wrong length leads nowhere: it is left empty, the exemplar's value is kept. */
  #id(sink: ByteSink, start: number, end: number, length: number): void {
    if (end - start === length) sink.hex(this.#decoder.wire.bytes, start, end);
    else sink.byte(0);
  }
}
