import { parentPort, workerData } from 'node:worker_threads';
import { errorText } from '../log.ts';
import type { GpuReading, VendorId } from './device.ts';
import type { PciGpu } from './pci.ts';
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
  | { readonly op: 'failed'; readonly failure: GpuFailure; readonly message: string }
  | { readonly op: 'stop' };

export type Said =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'tell'; readonly said: Parameters<Tell> };

async function answer(vendor: GpuVendor, ask: Ask): Promise<Answer> {
  try {
    if (ask.op === 'probe') return { op: 'probe', probe: await vendor.probe(ask.pci) };
    if (ask.op === 'read') return { op: 'read', reading: await vendor.read(ask.id) };
    await vendor.stop();
    return { op: 'stop' };
  } catch (thrown) {
    const failure = thrown instanceof GpuError ? thrown.failure : 'failed';
    return { op: 'failed', failure, message: errorText(thrown) };
  }
}

/** The program of a vendor's thread. Its calls block, which is why it is one. */
export async function runGpuThread(): Promise<void> {
  const { vendor: id, settings } = workerData as ThreadData;
  const port = parentPort;
  const entry = VENDORS.find((one) => one.id === id);
  if (port === null || entry === undefined) return;
  const say = (said: Said): void => port.postMessage(said);
  const create = await entry.load();
  const vendor = create(settings, (...said) => say({ kind: 'tell', said }));
  let last: Promise<void> = Promise.resolve();
  port.on('message', (ask: Ask) => {
    last = last.then(async () => say({ kind: 'answer', answer: await answer(vendor, ask) }));
  });
}
