import { describe, expect, it } from 'vitest';
import { ControlError, type CpuTraceRequest } from '../contract.ts';
import { planTrace } from './request.ts';

const CAPS = { maxDurationMs: 2_000, maxCpus: 4, maxBufferPages: 64 };
const ONLINE = [0, 1, 2, 3, 5, 6];
const ask = (request: Partial<CpuTraceRequest>): CpuTraceRequest => ({
  durationMs: undefined,
  outputDir: undefined,
  cpus: undefined,
  maxCpus: undefined,
  bufferPages: undefined,
  ...request,
});
const plan = (request: Partial<CpuTraceRequest>, caps = CAPS) => planTrace(ask(request), caps, ONLINE);

describe('planTrace', () => {
  it('fills in what is not asked for', () => {
    expect(plan({})).toEqual({ durationMs: 500, cpus: [0, 1, 2, 3], bufferPages: 64 });
    expect(plan({}, { maxDurationMs: 100, maxCpus: 2, maxBufferPages: 48 })).toEqual({
      durationMs: 100,
      cpus: [0, 1],
      bufferPages: 32,
    });
  });

  it('takes what is within the caps', () => {
    expect(plan({ durationMs: 2_000, cpus: [6, 1, 6], bufferPages: 16 })).toEqual({
      durationMs: 2_000,
      cpus: [1, 6],
      bufferPages: 16,
    });
    expect(plan({ maxCpus: 1 }).cpus).toEqual([0]);
  });

  it.each<[string, Partial<CpuTraceRequest>]>([
    ['too long', { durationMs: 2_001 }],
    ['no time', { durationMs: 0 }],
    ['too many CPUs', { cpus: [0, 1, 2, 3, 5] }],
    ['more CPUs than it says itself', { cpus: [0, 1], maxCpus: 1 }],
    ['more CPUs than may be', { maxCpus: 5 }],
    ['a CPU that is not online', { cpus: [4] }],
    ['too many pages', { bufferPages: 128 }],
    ['pages that are no power of two', { bufferPages: 48 }],
    ['no pages', { bufferPages: 0 }],
  ])('refuses %s', (_, request) => {
    expect(() => plan(request)).toThrow(ControlError);
    expect(() => plan(request)).toThrow(expect.objectContaining({ status: 400 }));
  });

  it('refuses when nothing is online', () => {
    expect(() => planTrace(ask({}), CAPS, [])).toThrow(ControlError);
  });
});
