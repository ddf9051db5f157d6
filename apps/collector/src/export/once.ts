import { JsonMetricsSerializer } from '@opentelemetry/otlp-transformer';
import type { TickProducer } from './resource-metrics.ts';

/** One collection as the OTLP/JSON request that would carry it. */
export async function otlpJson(producer: TickProducer): Promise<string> {
  const { resourceMetrics } = await producer.collect();
  const bytes = JsonMetricsSerializer.serializeRequest(resourceMetrics);
  if (bytes === undefined) throw new Error('the collection could not be written as JSON');
  return new TextDecoder().decode(bytes);
}
