import { describe, expect, it } from 'vitest';
import { isJson, isProtobuf, matchReceiver } from './route.ts';

const PROTOBUF = 'application/x-protobuf';

describe('matchReceiver', () => {
  it.each([
    ['/v1/traces', 'traces'],
    ['/v1/metrics', 'metrics'],
    ['/v1/logs', 'logs'],
    ['//v1/traces', 'traces'],
    ['/v1/traces///', 'traces'],
    ['/v1/logs?api-version=1', 'logs'],
    ['/otlp/v1/metrics', 'metrics'],
    ['/api/public/otel/v1/traces', 'traces'],
    ['/api/public/otel//v1/traces/', 'traces'],
  ])('%s is %s', (path, signal) => {
    expect(matchReceiver('POST', path, PROTOBUF)).toBe(signal);
    // A wrong method at a right path is answered 405 by the receiver, not 404 by somebody else.
    expect(matchReceiver('GET', path, undefined)).toBe(signal);
  });

  it.each([
    '/v1/trace',
    '/v1/traces/x',
    '/api/v1/health',
    '/x/v1/traces',
    '/v1',
    '/%76%31/traces',
    '/v1/traces%2F',
    '',
    '*',
  ])('%s is no receiver', (path) => {
    expect(matchReceiver('POST', path, 'text/plain')).toBeUndefined();
  });

  it('a protobuf POST to the base address is a trace request, anything else there is not ours', () => {
    expect(matchReceiver('POST', '/', PROTOBUF)).toBe('traces');
    expect(matchReceiver('POST', '//?x', PROTOBUF)).toBe('traces');
    expect(matchReceiver('GET', '/', undefined)).toBeUndefined();
    expect(matchReceiver('POST', '/', 'application/json')).toBeUndefined();
  });
});

describe('media types', () => {
  it('are recognised with parameters and in any case, and not by prefix', () => {
    expect(isProtobuf('Application/X-Protobuf ; charset=utf-8')).toBe(true);
    expect(isProtobuf('application/protobuf')).toBe(true);
    expect(isProtobuf('application/protobuffer')).toBe(false);
    expect(isJson('application/json;charset=UTF-8')).toBe(true);
    expect(isJson('application/jsonl')).toBe(false);
    expect(isJson(undefined)).toBe(false);
  });
});
