import { type Metric, metric } from './metric.ts';

const differs = 'The conventions have no metrics of the kernel hypervisor.';

export const systemKvmExits = metric({
  name: 'system.kvm.exits',
  instrument: 'counter',
  unit: '{exit}',
  description: 'Exits of virtual CPUs to the host, by reason; `other` is what no reason accounts for.',
  attributes: ['system.kvm.exit.type'],
  differs,
});

export const systemKvmEmulatedInstructions = metric({
  name: 'system.kvm.emulated.instructions',
  instrument: 'counter',
  unit: '{instruction}',
  description: 'Instructions of guests that the host emulated, or failed to.',
  attributes: ['result'],
  differs,
});

export const systemKvmHypercalls = metric({
  name: 'system.kvm.hypercalls',
  instrument: 'counter',
  unit: '{call}',
  description: 'Calls that guests made to the hypervisor.',
  attributes: [],
  differs,
});

export const systemKvmHaltPoll = metric({
  name: 'system.kvm.halt_poll',
  instrument: 'counter',
  unit: '{poll}',
  description:
    'Halts of virtual CPUs: polls that were tried, those that met work, and wake-ups after sleeping.',
  attributes: ['result'],
  differs,
});

export const systemKvmTlbFlushes = metric({
  name: 'system.kvm.tlb.flushes',
  instrument: 'counter',
  unit: '{flush}',
  description: 'Flushes of translation caches on behalf of guests.',
  attributes: ['scope'],
  differs,
});

export const systemKvmMmuEvents = metric({
  name: 'system.kvm.mmu.events',
  instrument: 'counter',
  unit: '{event}',
  description: 'Events of the shadow page tables of guests.',
  attributes: ['type'],
  differs,
});

export const systemKvmPages = metric({
  name: 'system.kvm.pages',
  instrument: 'updown',
  unit: '{page}',
  description: 'Pages mapped for guests at present, by size.',
  attributes: ['system.kvm.page.size'],
  differs,
});

export const KVM_METRICS: readonly Metric[] = [
  systemKvmExits,
  systemKvmEmulatedInstructions,
  systemKvmHypercalls,
  systemKvmHaltPoll,
  systemKvmTlbFlushes,
  systemKvmMmuEvents,
  systemKvmPages,
];
