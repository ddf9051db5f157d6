import type { Stage } from '../stage.ts';
import { NARROW, PHONE, type ShotGroup, SMALL } from './shot.ts';

interface Fleet {
  readonly data: {
    readonly hosts: readonly {
      readonly name: string;
      readonly gpus: readonly {
        readonly id: string;
        readonly parentId: string | null;
        readonly errors: readonly unknown[];
      }[];
    }[];
  };
}

/** Path of a GPU of the demo. */
async function gpuOf(
  stage: Stage,
  which: (gpu: Fleet['data']['hosts'][number]['gpus'][number]) => boolean,
): Promise<string> {
  const response = await fetch(`${stage.platform.http}/api/telemetry/hosts?from=-1h`);
  const fleet = (await response.json()) as Fleet;
  for (const host of fleet.data.hosts) {
    const gpu = host.gpus.find(which);
    if (gpu) return `/hosts/${host.name}/gpus/${gpu.id}?from=-1h`;
  }
  throw new Error('The demo has no such GPU.');
}

const TILES = '[data-testid=gpu-tile]';
const CHART = '[data-testid=time-chart]';

/** Hosts & GPUs. */
export const hostsShots: ShotGroup = {
  shots: [
    { name: 'hosts-first', path: '/hosts', ready: 'text=Measure the first host', empty: true },
    { name: 'hosts', path: '/hosts?from=-1h', ready: TILES },
    { name: 'hosts-attention', path: '/hosts?from=-1h&show=attention&group=model', ready: TILES },
    { name: 'hosts-narrow', path: '/hosts?from=-1h', ready: TILES, size: NARROW },
    { name: 'small-hosts', path: '/hosts?from=-1h', ready: TILES, size: SMALL },
    { name: 'phone-hosts', path: '/hosts?from=-1h', ready: TILES, size: PHONE },
    {
      name: 'phone-host',
      path: '/hosts/gpu-h100-01?from=-1h',
      ready: '[data-testid=cpu-strip]',
      size: PHONE,
    },
    {
      name: 'host',
      path: '/hosts/gpu-h100-01?from=-1h',
      ready: '[data-testid=cpu-strip]',
      size: { width: 1440, height: 1100 },
    },
    { name: 'host-gpus', path: '/hosts/gpu-h100-01?from=-1h&tab=gpus', ready: CHART },
    { name: 'host-processes', path: '/hosts/gpu-h100-01?from=-1h&tab=processes', ready: 'text=vllm' },
    {
      name: 'host-calls',
      path: '/hosts/app-node-1?from=-24h&tab=calls',
      ready: 'text=By model',
      size: { width: 1440, height: 1000 },
    },
    {
      name: 'gpu',
      path: (stage) => gpuOf(stage, ({ errors }) => errors.length > 0),
      ready: CHART,
      size: { width: 1440, height: 1500 },
    },
    {
      name: 'gpu-mig',
      path: (stage) => gpuOf(stage, ({ parentId }) => parentId !== null),
      ready: 'text=Partition of',
    },
  ],
};
