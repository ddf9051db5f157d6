import { DEFAULT_LIMITS } from '@candela/otlp';
import { expect, it } from 'vitest';
import { encodeRequest } from '../writer/encode/index.ts';
import { EMBEDDED } from './harness.ts';

it('takes rows of more than a hundred partitions at once: projects with days of their own, days that the store was away', async () => {
  const { store, close } = await EMBEDDED.open();
  const now = Date.now();
  const parts = Array.from({ length: 120 }, (_, n) => {
    const span = {
      traceId: (n + 1).toString(16).padStart(32, '0'),
      spanId: (n + 1).toString(16).padStart(16, '0'),
      name: 'span',
      startTimeUnixNano: `${now}000000`,
      endTimeUnixNano: `${now}000001`,
    };
    const body = Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }));
    const { blocks } = encodeRequest('traces', 'json', body, {
      projectId: 'p',
      environment: 'production',
      defaultEnvironment: 'production',
      receivedAtMs: now - (n % 2) * 86_400_000,
      retentionDays: 100 + Math.floor(n / 2),
      limits: DEFAULT_LIMITS,
    });
    return blocks[0]?.bytes ?? Buffer.alloc(0);
  });
  try {
    await store.insertNative('otel_traces', parts, 'token');
    for (const table of ['otel_traces', 'trace_figures']) {
      const [found] = await store.select<{ Rows: number; Partitions: number }>(
        `SELECT count() AS Rows, uniqExact(_partition_id) AS Partitions FROM ${table}`,
      );
      expect(found, table).toEqual({ Rows: 120, Partitions: 120 });
    }
  } finally {
    await close();
  }
});
