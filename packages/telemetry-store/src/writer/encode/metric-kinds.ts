import type {
  Decoder,
  DoubleList,
  Limits,
  MetricKind,
  MetricView,
  PointView,
  Uint64List,
} from '@candela/otlp';
import {
  OTEL_METRICS_EXPONENTIAL_HISTOGRAM,
  OTEL_METRICS_GAUGE,
  OTEL_METRICS_HISTOGRAM,
  OTEL_METRICS_SUM,
  OTEL_METRICS_SUMMARY,
} from '../../schema/tables.ts';
import type { ArrayColumn } from '../columns/array.ts';
import type { Float64Column, UInt64Column } from '../columns/fixed.ts';
import { TableWriter } from '../columns/table-writer.ts';
import type { AttributeWriter } from './attributes.ts';
import { ExemplarColumns } from './exemplar-columns.ts';
import { setFinite } from './gen-ai-columns.ts';
import type { Reason } from './outcome.ts';

/** What is a kind's own: its table, what it refuses, its columns after the identity. */
export interface MetricWriter {
  readonly table: TableWriter;
  refusal(point: PointView): Reason | undefined;
  set(row: number, metric: MetricView, point: PointView): void;
}

type MakeWriter = (decoder: Decoder, limits: Limits, attributes: AttributeWriter) => MetricWriter;

/** `NO_RECORDED_VALUE`: the series exists, this point has no value. */
const NO_VALUE_FLAG = 1;

export const METRIC_WRITERS: Record<MetricKind, MakeWriter> = {
  gauge: (decoder, limits, attributes) => {
    const table = new TableWriter(OTEL_METRICS_GAUGE);
    const value = table.column('Value', 'Float64');
    const exemplars = new ExemplarColumns(table, decoder, limits, attributes);
    return {
      table,
      refusal: noValue,
      set(row, _metric, point) {
        value.data[row] = point.value ?? 0;
        exemplars.set(row, point);
      },
    };
  },

  sum: (decoder, limits, attributes) => {
    const table = new TableWriter(OTEL_METRICS_SUM);
    const value = table.column('Value', 'Float64');
    const temporality = table.column('AggregationTemporality', 'Int32');
    const isMonotonic = table.column('IsMonotonic', 'Bool');
    const exemplars = new ExemplarColumns(table, decoder, limits, attributes);
    return {
      table,
      refusal: noValue,
      set(row, metric, point) {
        value.data[row] = point.value ?? 0;
        temporality.data[row] = metric.aggregationTemporality;
        isMonotonic.data[row] = metric.isMonotonic ? 1 : 0;
        exemplars.set(row, point);
      },
    };
  },

  histogram: (decoder, limits, attributes) => {
    const table = new TableWriter(OTEL_METRICS_HISTOGRAM);
    const setTotals = totals(table);
    const bucketCounts = table.column('BucketCounts', 'Array(UInt64)');
    const bounds = table.column('ExplicitBounds', 'Array(Float64)');
    const exemplars = new ExemplarColumns(table, decoder, limits, attributes);
    return {
      table,
      refusal(point) {
        const counts = point.buckets.count;
        const bounded = point.bounds.count;
        if (counts !== bounded + 1 && (counts !== 0 || bounded !== 0)) return 'bad_buckets';
        return isRising(point.bounds) ? undefined : 'bad_bounds';
      },
      set(row, metric, point) {
        setTotals(row, metric, point);
        setCounts(bucketCounts, row, point.buckets);
        setDoubles(bounds, row, point.bounds);
        exemplars.set(row, point);
      },
    };
  },

  exponential_histogram: (decoder, limits, attributes) => {
    const table = new TableWriter(OTEL_METRICS_EXPONENTIAL_HISTOGRAM);
    const setTotals = totals(table);
    const scale = table.column('Scale', 'Int32');
    const zeroCount = table.column('ZeroCount', 'UInt64');
    const zeroThreshold = table.column('ZeroThreshold', 'Float64');
    const positiveOffset = table.column('PositiveOffset', 'Int32');
    const positiveCounts = table.column('PositiveBucketCounts', 'Array(UInt64)');
    const negativeOffset = table.column('NegativeOffset', 'Int32');
    const negativeCounts = table.column('NegativeBucketCounts', 'Array(UInt64)');
    const exemplars = new ExemplarColumns(table, decoder, limits, attributes);
    return {
      table,
      refusal: () => undefined,
      set(row, metric, point) {
        setTotals(row, metric, point);
        scale.data[row] = point.scale;
        zeroCount.set(row, point.zeroCountLow, point.zeroCountHigh);
        zeroThreshold.data[row] = isWidth(point.zeroThreshold) ? point.zeroThreshold : 0;
        positiveOffset.data[row] = point.positiveOffset;
        setCounts(positiveCounts, row, point.buckets);
        negativeOffset.data[row] = point.negativeOffset;
        setCounts(negativeCounts, row, point.negativeBuckets);
        exemplars.set(row, point);
      },
    };
  },

  summary: () => {
    const table = new TableWriter(OTEL_METRICS_SUMMARY);
    const count = table.column('Count', 'UInt64');
    const sum = table.column('Sum', 'Float64');
    const quantiles = table.column('ValueAtQuantiles.Quantile', 'Array(Float64)');
    const values = table.column('ValueAtQuantiles.Value', 'Array(Float64)');
    return {
      table,
      refusal(point) {
        for (let index = 0; index < point.quantiles.count; index++) {
          const quantile = point.quantiles.values[index] as number;
          if (!(quantile >= 0 && quantile <= 1)) return 'bad_quantiles';
        }
        return undefined;
      },
      set(row, _metric, point) {
        count.set(row, point.countLow, point.countHigh);
        // Unlike a histogram's, this sum is always there: 0 is not sent.
        sum.data[row] = point.sum ?? 0;
        setDoubles(quantiles, row, point.quantiles);
        setDoubles(values, row, point.quantileValues);
      },
    };
  },
};

function noValue(point: PointView): Reason | undefined {
  return point.value === undefined && (point.flags & NO_VALUE_FLAG) === 0 ? 'no_value' : undefined;
}

/** The columns that both kinds of histogram have. */
function totals(table: TableWriter): (row: number, metric: MetricView, point: PointView) => void {
  const count = table.column('Count', 'UInt64');
  const sum = table.column('Sum', 'Float64');
  const min = table.column('Min', 'Nullable(Float64)');
  const max = table.column('Max', 'Nullable(Float64)');
  const temporality = table.column('AggregationTemporality', 'Int32');
  return (row, metric, point) => {
    count.set(row, point.countLow, point.countHigh);
    // Not 0, which would be the sum of what was measured.
    sum.data[row] = point.sum ?? Number.NaN;
    setFinite(min, row, point.min);
    setFinite(max, row, point.max);
    temporality.data[row] = metric.aggregationTemporality;
  };
}

const isWidth = (value: number): boolean => value > 0 && Number.isFinite(value);

function isRising(bounds: DoubleList): boolean {
  for (let index = 0; index < bounds.count; index++) {
    const bound = bounds.values[index] as number;
    if (Number.isNaN(bound)) return false;
    if (index > 0 && bound <= (bounds.values[index - 1] as number)) return false;
  }
  return true;
}

function setCounts(column: ArrayColumn<UInt64Column>, row: number, counts: Uint64List): void {
  for (let index = 0; index < counts.count; index++) {
    const item = column.next();
    column.items.set(item, counts.lows[index] as number, counts.highs[index] as number);
  }
  column.endRow(row);
}

function setDoubles(column: ArrayColumn<Float64Column>, row: number, doubles: DoubleList): void {
  for (let index = 0; index < doubles.count; index++) {
    const item = column.next();
    column.items.data[item] = doubles.values[index] as number;
  }
  column.endRow(row);
}
