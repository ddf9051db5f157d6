import type { LogRow } from '@candela/contract';
import { expect, it } from 'vitest';
import type { TraceException } from '../../api/trace.ts';
import { testSpan } from './light-span.fixture.ts';
import { logEntries, spanIdOf } from './log-entries.ts';

const START = Date.parse('2026-11-20T10:00:00.000Z');
const log = (id: string, afterMs: number, spanId: string | null): LogRow => ({
  id,
  timestamp: new Date(START + afterMs).toISOString(),
  timeUnixNano: '0',
  severity: 'info',
  severityText: null,
  service: 's',
  environment: 'production',
  body: id,
  bodyTruncated: false,
  traceId: 't',
  spanId,
  eventName: null,
  scopeName: '',
});

it('puts log records and failures in the order of their time', () => {
  const spans = [
    testSpan('fine', '', 'other', 0),
    testSpan('broken', 'fine', 'other', 20, { status: 'error', durationMs: 15 }),
  ];
  const entries = logEntries(
    [log('early', -5, null), log('late', 40, 'fine'), log('mid', 30, 'broken')],
    spans,
    START,
  );
  expect(entries.map((entry) => [entry.key, entry.offsetMs, spanIdOf(entry)])).toEqual([
    ['early', -5, null],
    ['mid', 30, 'broken'],
    ['failure broken 2026-11-20T10:00:00.000Z', 35, 'broken'],
    ['late', 40, 'fine'],
  ]);
});

it('shows what was thrown and survived, and nothing twice', () => {
  const thrown = (id: string, spanId: string, source: TraceException['source']): TraceException => ({
    id,
    timestamp: new Date(START + 10).toISOString(),
    source,
    type: 'Timeout',
    message: 'too slow',
    escaped: false,
    service: 's',
    version: null,
    environment: 'production',
    traceId: 't',
    spanId,
    spanName: null,
    model: null,
    provider: null,
    agent: null,
    tool: null,
    userId: null,
    sessionId: null,
  });
  const spans = [
    testSpan('fine', '', 'other', 0),
    testSpan('broken', 'fine', 'other', 20, { status: 'error' }),
  ];
  const exceptions = [
    thrown('survived', 'fine', 'event'),
    thrown('logged', 'fine', 'log'),
    thrown('failed', 'broken', 'event'),
  ];
  const entries = logEntries([], spans, START, exceptions);
  expect(entries.map((entry) => [entry.key, entry.offsetMs, spanIdOf(entry)])).toEqual([
    ['exception survived', 10, 'fine'],
    ['failure broken 2026-11-20T10:00:00.000Z', 21, 'broken'],
  ]);
});
