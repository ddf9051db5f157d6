import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { asCandelaError, CandelaError, releaseBytes } from '@candela/kernel';
import { type EncodeContext, encodeRequest, type EncodeResult } from '@candela/telemetry-store/encode';
import { inflate } from './inflate.ts';
import type { Decoded, JobMessage, WorkerMessage, WorkerSetup } from './protocol.ts';

const setup = workerData as WorkerSetup;
const port = parentPort;
if (port === null) throw new Error('decode/worker.ts runs only as a worker thread');

const send = (message: WorkerMessage, transfer: ArrayBuffer[] = []): void =>
  port.postMessage(message, transfer);

port.on('message', (job: JobMessage) => {
  try {
    const decoded = decode(job);
    send(
      { kind: 'done', id: job.id, decoded },
      decoded.parts.flatMap(({ blocks }) => blocks.map((block) => block.bytes.buffer as ArrayBuffer)),
    );
  } catch (thrown) {
    const error = asCandelaError(thrown);
    const stack =
      thrown instanceof CandelaError ? undefined : thrown instanceof Error ? thrown.stack : String(thrown);
    send({
      kind: 'failed',
      id: job.id,
      code: error.code,
      message: error.message,
      ...(stack === undefined ? {} : { stack }),
    });
  } finally {
    releaseBytes(job.body);
  }
});

function decode(job: JobMessage): Decoded {
  const plain = inflate(job.body, job.encoding, setup.maxBytes);
  const requestHash = createHash('sha256')
    .update(`${job.projectId}\n${job.environment ?? ''}\n${job.signal}\n${job.format}\n`)
    .update(plain)
    .digest()
    .subarray(0, 16);
  const { split } = job;
  const encode = (takes?: EncodeContext['takes']): EncodeResult =>
    encodeRequest(job.signal, job.format, plain, {
      projectId: job.projectId,
      environment: job.environment,
      defaultEnvironment: job.defaultEnvironment,
      receivedAtMs: job.receivedAtMs,
      retentionDays: job.retentionDays,
      limits: setup.limits,
      modelCalls: setup.modelCalls,
      takes,
    });
  // Each place goes through the request once: rare, and cheaper than sorting rows that are columns already.
  const results =
    split === undefined
      ? [encode()]
      : Array.from({ length: split.places }, (_, place) =>
          encode((environment) => (split.byEnvironment.get(environment) ?? split.rest) === place),
        );
  return { ...together(results), requestHash: new Uint8Array(requestHash), plainBytes: plain.byteLength };
}

/** Results of several places as one of the request. */
function together(results: readonly EncodeResult[]): Omit<Decoded, 'requestHash' | 'plainBytes'> {
  const parts = results.flatMap(({ blocks }, place) => (blocks.length === 0 ? [] : [{ place, blocks }]));
  const [only] = results;
  if (results.length === 1 && only !== undefined) {
    const { blocks: _, ...rest } = only;
    return { parts, ...rest };
  }
  const sums = (pick: (result: EncodeResult) => ReadonlyMap<string, number>): Map<string, number> => {
    const sum = new Map<string, number>();
    for (const result of results)
      for (const [name, n] of pick(result)) sum.set(name, (sum.get(name) ?? 0) + n);
    return sum;
  };
  const all = (pick: (result: EncodeResult) => readonly string[]) => [...new Set(results.flatMap(pick))];
  return {
    parts,
    accepted: results.reduce((sum, { accepted }) => sum + accepted, 0),
    rejected: results.reduce((sum, { rejected }) => sum + rejected, 0),
    reasons: sums(({ reasons }) => reasons),
    adjusted: sums(({ adjusted }) => adjusted),
    message: all(({ message }) => [message])
      .filter((message) => message !== '')
      .join(' '),
    environments: all(({ environments }) => environments),
    sdks: all(({ sdks }) => sdks),
    services: all(({ services }) => services),
  };
}

send({ kind: 'ready' });
