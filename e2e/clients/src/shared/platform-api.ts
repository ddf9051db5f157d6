/** The few questions the tests ask the platform over HTTP. */
import type { SpanDetail, Trace, TraceRow } from '@candela/contract';

export interface PlatformApi {
  traces(): Promise<readonly TraceRow[]>;
  trace(traceId: string): Promise<Trace>;
  span(traceId: string, spanId: string): Promise<SpanDetail>;
  /** The content of media that an application uploaded. */
  media(id: string): Promise<Buffer>;
}

export function platformApi(base: string, apiKey: string): PlatformApi {
  const ask = async <T>(path: string, body?: object): Promise<T> => {
    const response = await fetch(`${base}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  };
  const asked = async <T>(path: string, body?: object) => (await ask<{ data: T }>(path, body)).data;
  return {
    traces: async () => asked('/api/telemetry/traces/search', { from: '-1h', to: 'now', limit: 500 }),
    trace: async (traceId) => asked(`/api/telemetry/traces/${traceId}`),
    span: async (traceId, spanId) => asked(`/api/telemetry/traces/${traceId}/spans/${spanId}`),
    media: async (id) => {
      const { url } = await ask<{ url: string }>(`/api/public/media/${id}`);
      return Buffer.from(await (await fetch(url)).arrayBuffer());
    },
  };
}
