import { silentLogger } from '@candela/kernel';
import { afterEach, describe, expect, it } from 'vitest';
import { traceBody } from '../testing/spans.ts';
import { DecodePool } from './pool.ts';
import type { DecodeJob } from './protocol.ts';

const MIB = 1024 * 1024;
let lost = 0;
let pool: DecodePool | undefined;
afterEach(async () => {
  await pool?.close();
  pool = undefined;
  lost = 0;
});

function open(options: Partial<ConstructorParameters<typeof DecodePool>[0]> = {}): DecodePool {
  pool = new DecodePool({
    logger: silentLogger,
    maxBytes: 16 * MIB,
    workers: 2,
    deadlineMs: 30_000,
    onWorkerLost: () => {
      lost += 1;
    },
    ...options,
  });
  return pool;
}

const job = (body: Uint8Array, changes: Partial<DecodeJob> = {}): DecodeJob => ({
  signal: 'traces',
  format: 'protobuf',
  encoding: 'identity',
  body: new Uint8Array(body),
  projectId: 'default',
  environment: undefined,
  defaultEnvironment: 'production',
  receivedAtMs: 1_800_000_000_000,
  retentionDays: 30,
  ...changes,
});

describe('decode pool', () => {
  it('decodes many requests on several workers, each answer to its own request', async () => {
    const workers = open();
    const counts = Array.from({ length: 200 }, (_, n) => 1 + (n % 17));
    const answers = await Promise.all(
      counts.map((count, n) => workers.run(job(traceBody(`pool ${n}`, count)))),
    );
    expect(answers.map((answer) => answer.accepted)).toEqual(counts);
    expect(new Set(answers.map((answer) => Buffer.from(answer.requestHash).toString('hex'))).size).toBe(200);
  });

  it('the hash names tenant, environment, signal, format and plain body, not its compression', async () => {
    const workers = open();
    const body = traceBody('hash');
    const hash = async (changes: Partial<DecodeJob> = {}): Promise<string> =>
      Buffer.from((await workers.run(job(body, changes))).requestHash).toString('hex');
    const plain = await hash();
    expect(await hash({ receivedAtMs: 1 })).toBe(plain);
    expect(await hash({ projectId: 'other' })).not.toBe(plain);
    expect(await hash({ environment: 'staging' })).not.toBe(plain);
  });

  it('errors of the decoder arrive typed and cost no worker', async () => {
    const workers = open();
    await expect(workers.run(job(Buffer.from('rubbish')))).rejects.toMatchObject({ code: 'undecodable' });
    await expect(workers.run(job(Buffer.alloc(17 * MIB)))).rejects.toMatchObject({ code: 'too_large' });
    expect((await workers.run(job(traceBody('after')))).accepted).toBe(1);
    expect(lost).toBe(0);
  });

  it('a worker over the deadline is replaced; its requests are told to come back, the others go on', async () => {
    const workers = open({ workers: 1, deadlineMs: 1 });
    // Long enough that a check of the deadline falls inside.
    const heavy = traceBody('heavy', 60_000);
    const answers = await Promise.allSettled([
      workers.run(job(heavy)),
      workers.run(job(heavy)),
      workers.run(job(heavy)),
    ]);
    const refused = answers.filter((answer) => answer.status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) expect(answer.reason).toMatchObject({ code: 'overloaded' });
    expect(lost).toBeGreaterThan(0);
    // The new worker works.
    for (;;) {
      const last = await workers.run(job(traceBody('afterwards'))).catch(() => undefined);
      if (last?.accepted === 1) break;
    }
  }, 60_000);

  it('a worker lost twice in a row is replaced once each time', async () => {
    const workers = open({ workers: 1, deadlineMs: 1 });
    const heavy = traceBody('heavy', 60_000);
    while (lost < 3) await workers.run(job(heavy)).catch(() => {});
    const losses = lost;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(lost).toBe(losses);
  }, 60_000);

  it('close answers what waits', async () => {
    const workers = open({ workers: 1 });
    const waiting = Array.from({ length: 20 }, () => workers.run(job(traceBody('waiting', 500))));
    const settled = Promise.allSettled(waiting);
    await workers.close();
    for (const answer of await settled) {
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'shutting_down' });
    }
    await expect(workers.run(job(traceBody('late')))).rejects.toMatchObject({ code: 'shutting_down' });
  });
});
