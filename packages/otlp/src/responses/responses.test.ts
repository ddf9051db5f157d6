import { CandelaError, ERROR_TABLE, type ErrorCode, fail } from '@candela/kernel';
import { describe, expect, it } from 'vitest';
import { decodeExportResponse, encodeExportResponse } from './export-response.ts';
import { exportFailure, exportFailureCodes, GRPC, isRetryableGrpc, isRetryableHttp } from './outcomes.ts';
import { decodeStatus, encodeStatus } from './status.ts';

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('export response', () => {
  it('has no partial success when all is well', () => {
    expect(encodeExportResponse('traces', 'protobuf', { rejected: 0, message: '' })).toHaveLength(0);
    expect(text(encodeExportResponse('logs', 'json', { rejected: 0, message: '' }))).toBe('{}');
  });

  it('says what was refused', () => {
    const partial = { rejected: 2, message: 'bad' };
    expect(hex(encodeExportResponse('metrics', 'protobuf', partial))).toBe('0a0708021203626164');
    expect(text(encodeExportResponse('metrics', 'json', partial))).toBe(
      '{"partialSuccess":{"rejectedDataPoints":"2","errorMessage":"bad"}}',
    );
    expect(text(encodeExportResponse('logs', 'json', partial))).toContain('rejectedLogRecords');
    expect(text(encodeExportResponse('traces', 'json', partial))).toContain('rejectedSpans');
  });

  it('may only warn', () => {
    const warning = { rejected: 0, message: 'values were cut' };
    expect(text(encodeExportResponse('traces', 'json', warning))).toBe(
      '{"partialSuccess":{"errorMessage":"values were cut"}}',
    );
  });

  it.each(['protobuf', 'json'] as const)('comes back from %s', (format) => {
    for (const partial of [
      { rejected: 0, message: '' },
      { rejected: 7, message: 'x' },
    ]) {
      const body = encodeExportResponse('traces', format, partial);
      expect(decodeExportResponse('traces', format, body)).toEqual(partial);
    }
  });
});

describe('status', () => {
  it('carries RetryInfo', () => {
    expect(text(encodeStatus('json', { code: 14, message: 'later', retryDelaySeconds: 5 }))).toBe(
      '{"code":14,"message":"later","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"5s"}]}',
    );
    const url = Buffer.from('type.googleapis.com/google.rpc.RetryInfo').toString('hex');
    expect(hex(encodeStatus('protobuf', { code: 14, message: 'later', retryDelaySeconds: 5 }))).toBe(
      `080e12056c617465721a320a28${url}12060a0408051000`,
    );
  });

  it.each(['protobuf', 'json'] as const)('comes back from %s', (format) => {
    for (const status of [
      { code: 3, message: 'no' },
      { code: 8, message: '', retryDelaySeconds: 1.5 },
    ]) {
      expect(decodeStatus(format, encodeStatus(format, status))).toEqual(status);
    }
  });
});

describe('outcomes', () => {
  it('knows both codes of every error', () => {
    for (const code of Object.keys(ERROR_TABLE) as ErrorCode[]) {
      expect(exportFailureCodes(code).grpcCode, code).toBeDefined();
    }
  });

  it('lets a sender retry exactly what may succeed later', () => {
    for (const code of Object.keys(ERROR_TABLE) as ErrorCode[]) {
      const error = new CandelaError(code, 'x');
      const failure = exportFailure(error);
      expect(isRetryableHttp(failure.httpStatus), code).toBe(error.retryable);
      expect(isRetryableGrpc(failure.grpcCode, failure.retryDelaySeconds !== undefined), code).toBe(
        error.retryable,
      );
    }
  });

  it.each([
    [fail('undecodable', { format: 'protobuf', detail: 'x' }), 400, GRPC.invalidArgument, undefined],
    [fail('too_large', { limit: 5 }), 413, GRPC.resourceExhausted, undefined],
    [fail('rate_limited', { seconds: 7 }), 429, GRPC.resourceExhausted, 7],
    [fail('overloaded', { detail: 'x' }), 503, GRPC.unavailable, 5],
    [fail('no_credential'), 401, GRPC.unauthenticated, undefined],
    [fail('internal'), 500, GRPC.internal, undefined],
  ] as const)('%s', (error, httpStatus, grpcCode, retryDelaySeconds) => {
    expect(exportFailure(error)).toEqual({ httpStatus, grpcCode, retryDelaySeconds });
  });
});
