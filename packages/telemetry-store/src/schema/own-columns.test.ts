import { describe, expect, it } from 'vitest';
import { hasOwnColumn } from './own-columns.ts';

describe('keys whose values are in a column that every store has', () => {
  it.each([
    ['otel_traces', 'SpanAttributes', 'http.route', true],
    ['otel_traces', 'SpanAttributes', 'url.path', false],
    ['otel_traces', 'SpanAttributes', 'gen_ai.request.model', true],
    ['otel_traces', 'SpanAttributes', 'gen_ai.usage.input_tokens', true],
    // As other conventions spell it.
    ['otel_traces', 'SpanAttributes', 'llm.model_name', true],
    ['otel_traces', 'SpanAttributes', 'ai.telemetry.functionId', true],
    ['otel_traces', 'SpanAttributes', 'gen_ai.request.temperature', false],
    // Spans of no AI application have these, and nothing in the columns.
    ['otel_traces', 'SpanAttributes', 'error.type', false],
    ['otel_traces', 'SpanAttributes', 'thread.id', false],
    ['otel_traces', 'ResourceAttributes', 'service.name', true],
    ['otel_traces', 'ResourceAttributes', 'deployment.environment', true],
    ['otel_traces', 'ResourceAttributes', 'service.version', false],
    ['otel_logs', 'LogAttributes', 'http.route', false],
    ['otel_logs', 'LogAttributes', 'gen_ai.request.model', true],
    ['otel_logs', 'ResourceAttributes', 'service.name', true],
  ])('%s %s %s: %s', (table, map, key, own) => {
    expect(hasOwnColumn(table, map, key)).toBe(own);
  });
});
