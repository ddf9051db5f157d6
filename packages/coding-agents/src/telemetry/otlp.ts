import type { AttributeValue, Batch } from './types.ts';

const SCOPE = { name: 'candela.coding_agent', version: '1' };
const nanos = (ms: number) => `${Math.max(0, Math.round(ms))}000000`;

function valueOf(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((item) => valueOf(item)) } };
}
const attributesOf = (from: Readonly<Record<string, AttributeValue>>) =>
  Object.entries(from).map(([key, value]) => ({ key, value: valueOf(value) }));

/** The batches as a trace request in OTLP/JSON; undefined without spans. */
export function traceRequest(batches: readonly Batch[]): object | undefined {
  const resourceSpans = batches
    .filter(({ spans }) => spans.length > 0)
    .map(({ resource, spans }) => ({
      resource: { attributes: attributesOf(resource) },
      scopeSpans: [
        {
          scope: SCOPE,
          spans: spans.map(
            ({ traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes, error }) => ({
              traceId,
              spanId,
              ...(parentSpanId === undefined ? {} : { parentSpanId }),
              name,
              kind: kind === 'client' ? 3 : 1,
              startTimeUnixNano: nanos(Math.min(startMs, endMs)),
              endTimeUnixNano: nanos(endMs),
              attributes: attributesOf(attributes),
              status: error === undefined ? {} : { code: 2, message: error },
            }),
          ),
        },
      ],
    }));
  return resourceSpans.length === 0 ? undefined : { resourceSpans };
}

/** The batches' counters as a metrics request in OTLP/JSON, as delta sums; undefined without any. */
export function metricsRequest(batches: readonly Batch[]): object | undefined {
  const resourceMetrics = batches
    .filter(({ counts }) => counts.length > 0)
    .map(({ resource, counts }) => ({
      resource: { attributes: attributesOf(resource) },
      scopeMetrics: [
        {
          scope: SCOPE,
          metrics: [...Map.groupBy(counts, ({ name }) => name)].map(([name, points]) => ({
            name,
            unit: points[0]?.unit ?? '1',
            sum: {
              aggregationTemporality: 1,
              isMonotonic: true,
              dataPoints: points.map(({ value, atMs, attributes }) => ({
                startTimeUnixNano: nanos(atMs - 1),
                timeUnixNano: nanos(atMs),
                asDouble: value,
                attributes: attributesOf(attributes),
              })),
            },
          })),
        },
      ],
    }));
  return resourceMetrics.length === 0 ? undefined : { resourceMetrics };
}
