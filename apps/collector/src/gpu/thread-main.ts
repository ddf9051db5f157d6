import { parentPort, workerData } from 'node:worker_threads';
import type { EbpfThreadData } from '../ebpf/cuda/thread-main.ts';
import { errorText } from '../log.ts';
import type { GpuErrorCounts, GpuReading, VendorId } from './device.ts';
import type { PciGpu } from './pci.ts';
import type { ProfilerThreadData } from './profiling/thread-main.ts';
import {
  GpuError,
  type GpuFailure,
  type GpuVendor,
  type Probe,
  type Tell,
  type VendorSettings,
} from './vendor.ts';
import { VENDORS } from './vendors.ts';

/** What the thread of a vendor is started with. */
export interface ThreadData {
  readonly vendor: VendorId;
  readonly settings: VendorSettings;
}

/** The other side asks one thing and waits for its answer. */
export type Ask =
  | { readonly op: 'probe'; readonly pci: readonly PciGpu[] }
  | { readonly op: 'read'; readonly id: string }
  | { readonly op: 'stop' };

export type Answer =
  | { readonly op: 'probe'; readonly probe: Probe }
  | { readonly op: 'read'; readonly reading: GpuReading }
  | {
      readonly op: 'failed';
      readonly failure: GpuFailure;
      readonly message: string;
      readonly errors?: GpuErrorCounts;
    }
  | { readonly op: 'stop' };

async function answer(vendor: GpuVendor, ask: Ask): Promise<Answer> {
  try {
    if (ask.op === 'probe') return { op: 'probe', probe: await vendor.probe(ask.pci) };
    if (ask.op === 'read') return { op: 'read', reading: await vendor.read(ask.id) };
    await vendor.stop();
    return { op: 'stop' };
  } catch (thrown) {
    const failure = thrown instanceof GpuError ? thrown.failure : 'failed';
    const errors = thrown instanceof GpuError ? thrown.errors : undefined;
    return {
      op: 'failed',
      failure,
      message: errorText(thrown),
      ...(errors === undefined ? {} : { errors }),
    };
  }
}

/** The program of every thread of the agent but the first: a vendor's, or that of a profiling library. */
export async function runGpuThread(): Promise<void> {
  const data = workerData as ThreadData | ProfilerThreadData | EbpfThreadData;
  if ('vendor' in data) return runVendorThread(data);
  if ('ebpf' in data) {
    const { runEbpfThread } = await import('../ebpf/cuda/thread-main.ts');
    return runEbpfThread(data);
  }
  const { runProfilerThread } = await import('./profiling/thread-main.ts');
  return runProfilerThread(data);
}

/** Its calls block, which is why it is a thread. */
async function runVendorThread({ vendor: id, settings }: ThreadData): Promise<void> {
  const port = parentPort;
  const entry = VENDORS.find((one) => one.id === id);
  if (port === null || entry === undefined) return;
  const tell: Tell = (...said) => port.postMessage({ kind: 'tell', said });
  const create = await entry.load();
  const vendor = create(settings, tell);
  let last: Promise<void> = Promise.resolve();
  port.on('message', (ask: Ask) => {
    last = last.then(async () => port.postMessage({ kind: 'answer', answer: await answer(vendor, ask) }));
  });
}
