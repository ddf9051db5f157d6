import type { Attributes, Service } from '../telemetry.ts';
import { GIB } from './readings.ts';

/** What a GPU can do and what it draws. */
export interface GpuModel {
  readonly name: string;
  readonly vendor: 'nvidia' | 'amd' | 'intel';
  readonly memory: number;
  readonly watts: number;
  /** Of graphics or SM, and of memory. */
  readonly hertz: readonly [number, number];
  readonly link: 'nvlink' | 'xgmi' | 'other' | undefined;
  readonly memorySensor: boolean;
}

const H100: GpuModel = {
  name: 'NVIDIA H100 80GB HBM3',
  vendor: 'nvidia',
  memory: 80 * GIB,
  watts: 700,
  hertz: [1.98e9, 2.619e9],
  link: 'nvlink',
  memorySensor: true,
};
const A100: GpuModel = {
  name: 'NVIDIA A100-SXM4-80GB',
  vendor: 'nvidia',
  memory: 80 * GIB,
  watts: 400,
  hertz: [1.41e9, 1.593e9],
  link: 'nvlink',
  memorySensor: true,
};
const MI300X: GpuModel = {
  name: 'AMD Instinct MI300X',
  vendor: 'amd',
  memory: 192 * GIB,
  watts: 750,
  hertz: [2.1e9, 2.6e9],
  link: 'xgmi',
  memorySensor: true,
};
const MAX_1100: GpuModel = {
  name: 'Intel Data Center GPU Max 1100',
  vendor: 'intel',
  memory: 48 * GIB,
  watts: 300,
  hertz: [1.55e9, 1.565e9],
  link: 'other',
  memorySensor: false,
};

/** What runs on a GPU. */
export interface Worker {
  readonly command: string;
  readonly executable: string;
  /** Share of the device memory it holds. */
  readonly memory: number;
  readonly pod?: string;
  readonly namespace?: string;
  readonly container?: string;
}

export interface GpuPlan {
  readonly model: GpuModel;
  readonly workers: readonly Worker[];
  /** Busy share at full load of the demo; 0 leaves it idle. */
  readonly busy: number;
  /** Profiles of its partitions with what runs on each. */
  readonly partitions?: readonly {
    readonly profile: string;
    readonly memory: number;
    readonly worker: Worker | undefined;
  }[];
  /** Runs hot, corrects errors, and now and then reports an XID. */
  readonly sick?: boolean;
}

export interface HostPlan {
  readonly name: string;
  readonly resource: Attributes;
  readonly cpus: number;
  readonly memory: number;
  /** Fill of each mount point, as shares; they grow slowly. */
  readonly mounts: readonly (readonly [mount: string, device: string, size: number, fill: number])[];
  readonly interfaces: readonly string[];
  readonly gpus: readonly GpuPlan[];
  /** Busy share of its CPUs at full load. */
  readonly busy: number;
  /** It stops reporting so long before the end of the past. */
  readonly silentForMs?: number;
  /** Its agent is started again once. */
  readonly restarts?: boolean;
}

const vllm = (model: string, size: number, pod: string): Worker => ({
  command: `python3 -m vllm.entrypoints.openai.api_server --model ${model} --tensor-parallel-size ${size} --gpu-memory-utilization 0.9`,
  executable: 'python3',
  memory: 0.88,
  pod,
  namespace: 'inference',
  container: 'vllm',
});

const LLAMA = vllm('meta-llama/Llama-3.3-70B-Instruct', 4, 'llama-70b-7d9f5c6b8-k2x9p');
const QWEN = vllm('Qwen/Qwen3-32B', 2, 'qwen3-32b-6b7c8d9f5-t8mzq');
const TRAINING: Worker = {
  command: 'torchrun --nproc-per-node 2 finetune.py --config configs/support-lora.yaml',
  executable: 'torchrun',
  memory: 0.71,
  pod: 'finetune-support-0',
  namespace: 'training',
  container: 'trainer',
};

const k8s = (node: string, zone: string, type: string): Attributes => ({
  'host.name': node,
  'host.type': type,
  'host.id': `i-0${node.length}7c41ab${node.slice(-4)}`,
  'host.arch': 'amd64',
  'os.type': 'linux',
  'os.description': 'Ubuntu 24.04.3 LTS',
  'cloud.provider': 'aws',
  'cloud.platform': 'aws_eks',
  'cloud.region': 'eu-central-1',
  'cloud.availability_zone': zone,
  'cloud.account.id': '114477020118',
  'k8s.cluster.name': 'prod-eu',
  'k8s.node.name': node,
});

const metal = (host: string, os = 'Ubuntu 24.04.3 LTS'): Attributes => ({
  'host.name': host,
  'host.arch': 'amd64',
  'os.type': 'linux',
  'os.description': os,
});

const one = <T>(value: T): readonly T[] => [value];
const TIB = 1024 * GIB;

/** The machines of the demo. */
export const FLEET: readonly HostPlan[] = [
  {
    name: 'gpu-h100-01',
    resource: k8s('gpu-h100-01', 'eu-central-1a', 'p5.48xlarge'),
    cpus: 48,
    memory: 2 * TIB,
    mounts: [
      ['/', '/dev/nvme0n1p1', 500 * GIB, 0.41],
      ['/models', '/dev/md0', 28 * TIB, 0.63],
    ],
    interfaces: ['ens32', 'ens33'],
    busy: 0.45,
    gpus: [
      ...[0, 1, 2, 3].map(() => ({ model: H100, workers: one(LLAMA), busy: 0.94 })),
      ...[4, 5].map(() => ({ model: H100, workers: one(QWEN), busy: 0.72 })),
      { model: H100, workers: one(TRAINING), busy: 0.99, sick: true },
      { model: H100, workers: one(TRAINING), busy: 0.99 },
    ],
    restarts: true,
  },
  {
    name: 'gpu-a100-mig-02',
    resource: k8s('gpu-a100-mig-02', 'eu-central-1b', 'p4de.24xlarge'),
    cpus: 24,
    memory: 1_152 * GIB,
    mounts: [['/', '/dev/nvme0n1p1', 500 * GIB, 0.58]],
    interfaces: ['ens32'],
    busy: 0.3,
    gpus: [
      {
        model: A100,
        workers: [],
        busy: 0.6,
        partitions: [
          {
            profile: '3g.40gb',
            memory: 40 * GIB,
            worker: { ...vllm('Qwen/Qwen3-8B', 1, 'qwen3-8b-5f6d7c8b9-mm2xv'), memory: 0.83 },
          },
          {
            profile: '2g.20gb',
            memory: 20 * GIB,
            worker: {
              command: 'text-embeddings-router --model-id BAAI/bge-m3 --port 8080',
              executable: 'text-embeddings-router',
              memory: 0.34,
              pod: 'embeddings-0',
              namespace: 'inference',
              container: 'tei',
            },
          },
          { profile: '1g.10gb', memory: 10 * GIB, worker: undefined },
        ],
      },
      {
        model: A100,
        workers: one({ ...vllm('mistralai/Mistral-Small-3.2-24B', 1, 'mistral-small-0'), memory: 0.86 }),
        busy: 0.66,
      },
    ],
  },
  {
    name: 'gpu-mi300x-03',
    resource: metal('gpu-mi300x-03'),
    cpus: 32,
    memory: 1_536 * GIB,
    mounts: [
      ['/', '/dev/sda2', 900 * GIB, 0.36],
      ['/scratch', '/dev/nvme1n1', 7 * TIB, 0.91],
    ],
    interfaces: ['eno1', 'enp65s0'],
    busy: 0.35,
    gpus: [0, 1, 2, 3].map((index) => ({
      model: MI300X,
      workers:
        index < 3
          ? one({
              command: 'python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3.1 --tp 3',
              executable: 'python3',
              memory: 0.9,
            })
          : [],
      busy: index < 3 ? 0.83 : 0,
    })),
  },
  {
    name: 'gpu-max-04',
    resource: metal('gpu-max-04', 'Rocky Linux 9.6'),
    cpus: 16,
    memory: 512 * GIB,
    mounts: [['/', '/dev/sda3', 900 * GIB, 0.22]],
    interfaces: ['eno1'],
    busy: 0.2,
    gpus: one({
      model: MAX_1100,
      workers: one({
        command: '/opt/ovms/bin/ovms --model_name reranker --port 9000',
        executable: 'ovms',
        memory: 0.4,
      }),
      busy: 0.48,
    }),
    silentForMs: 12 * 60_000,
  },
  ...['app-node-1', 'app-node-2', 'app-node-3'].map(
    (name, index): HostPlan => ({
      name,
      resource: k8s(name, `eu-central-1${'abc'[index]}`, 'm7i.2xlarge'),
      cpus: 8,
      memory: 32 * GIB,
      mounts: [
        ['/', '/dev/nvme0n1p1', 100 * GIB, [0.44, 0.52, 0.947][index] ?? 0.5],
        ['/var/lib/kubelet', '/dev/nvme1n1', 200 * GIB, 0.31],
      ],
      interfaces: ['ens5'],
      busy: [0.82, 0.6, 0.5][index] ?? 0.5,
      gpus: [],
    }),
  ),
];

/** The resource an agent of a machine reports with: hardware is measured, no service. */
export const agentOf = (plan: HostPlan): Service => ({
  name: '',
  attributes: {
    ...plan.resource,
    'telemetry.distro.name': 'opentelemetry-gpu-collector',
    'telemetry.distro.version': '0.1.0',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.name': 'opentelemetry',
    'telemetry.sdk.version': '2.2.0',
    'deployment.environment.name': 'production',
  },
});
