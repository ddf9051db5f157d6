import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { asCandelaError, CandelaError, releaseBytes } from '@candela/kernel';
import { encodeRequest } from '@candela/telemetry-store/encode';
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
      decoded.blocks.map((block) => block.bytes.buffer as ArrayBuffer),
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
  const result = encodeRequest(job.signal, job.format, plain, {
    projectId: job.projectId,
    environment: job.environment,
    defaultEnvironment: job.defaultEnvironment,
    receivedAtMs: job.receivedAtMs,
    retentionDays: job.retentionDays,
    limits: setup.limits,
    modelCalls: setup.modelCalls,
  });
  return { ...result, requestHash: new Uint8Array(requestHash), plainBytes: plain.byteLength };
}

send({ kind: 'ready' });
