import { cuda } from './ebpf/cuda/source.ts';
import { gpu } from './gpu/source.ts';
import { cpu } from './host/cpu/index.ts';
import { disk } from './host/disk/index.ts';
import { filesystem } from './host/filesystem/index.ts';
import { interrupts } from './host/interrupts.ts';
import { nic } from './host/nic.ts';
import { rdma } from './host/rdma.ts';
import { kvm } from './host/kvm.ts';
import { memory } from './host/memory/index.ts';
import { network } from './host/network/index.ts';
import { paging } from './host/paging.ts';
import { uptime } from './host/uptime.ts';
import { tpu } from './host/tpu/index.ts';
import { pmu } from './host/pmu/index.ts';
import { selfProcess } from './self/process.ts';
import { selfRuntime } from './self/runtime.ts';
import type { SourceEntry } from './source.ts';

/** Everything that can be measured. One line a source. */
export const SOURCES: readonly SourceEntry[] = [
  cpu,
  disk,
  filesystem,
  memory,
  network,
  paging,
  uptime,
  interrupts,
  nic,
  rdma,
  kvm,
  tpu,
  pmu,
  gpu,
  cuda,
  selfProcess,
  selfRuntime,
];
