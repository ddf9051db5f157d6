import { fail } from '@candela/kernel';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { StreamPermit } from './stream-permit.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A permit whose check throws what is set, and how often it was asked. */
function permitOf() {
  const asked = { times: 0, refusal: undefined as unknown };
  const check = async () => {
    asked.times += 1;
    if (asked.refusal !== undefined) throw asked.refusal;
  };
  return { asked, permit: new StreamPermit(check) };
}

it('ends a stream within a second of the refusal, with its reason', async () => {
  const { asked, permit } = permitOf();
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(permit.ended.aborted).toBe(false);
  asked.refusal = fail('unknown_credential');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(permit.ended.reason).toBe(asked.refusal);
  const { times } = asked;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked.times).toBe(times);
});

it('outlasts a store that is away for a moment, and no longer', async () => {
  const { asked, permit } = permitOf();
  asked.refusal = fail('metadata_unavailable', { seconds: 1 });
  await vi.advanceTimersByTimeAsync(5_000);
  asked.refusal = undefined;
  await vi.advanceTimersByTimeAsync(5_000);
  asked.refusal = fail('metadata_unavailable', { seconds: 1 });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(permit.ended.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(permit.ended.reason).toBe(asked.refusal);
});

it('asks no more when the stream is over', async () => {
  const { asked, permit } = permitOf();
  await vi.advanceTimersByTimeAsync(2_000);
  permit.close();
  const { times } = asked;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked.times).toBe(times);
});
