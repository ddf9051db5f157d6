/** The few questions the tests ask the platform over HTTP. */
import type { SpanDetail, Trace, TraceRow } from '@candela/contract';

export interface PlatformApi {
  traces(): Promise<readonly TraceRow[]>;
  trace(traceId: string): Promise<Trace>;
  span(traceId: string, spanId: string): Promise<SpanDetail>;
}

export function platformApi(base: string, apiKey: string): PlatformApi {
  const ask = async <T>(path: string, body?: object): Promise<T> => {
    const response = await fetch(`${base}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return ((await response.json()) as { data: T }).data;
  };
  return {
    traces: async () => ask('/api/telemetry/traces/search', { from: '-1h', to: 'now', limit: 500 }),
    trace: async (traceId) => ask(`/api/telemetry/traces/${traceId}`),
    span: async (traceId, spanId) => ask(`/api/telemetry/traces/${traceId}/spans/${spanId}`),
  };
}
