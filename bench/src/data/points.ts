import { encodeMetricsRequest, type Metric, type NumberPoint } from '@candela/otlp';
import type { BenchRandom } from '../lib/random.ts';
import type { Batch } from './batch.ts';

/** Hosts of a load that names no other number. */
export const BENCH_HOSTS = 40;
const GPUS = 8;
const CPUS = 32;
/** Counters run since then, so that their values follow from the time alone, whatever is sent first. */
const SINCE = BigInt(Date.UTC(2026, 0, 1)) * 1_000_000n;
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const MODELS = ['gpt-4o-mini', 'gpt-5', 'claude-sonnet-4-5', 'gemini-2.5-flash'] as const;
const ROUTES = ['/api/chat', '/api/cases/{id}', '/api/search', '/api/documents', '/api/feedback'] as const;
const DELTA = 1;
const CUMULATIVE = 2;
/** An exponential histogram of an SDK fills 80 to 160 buckets: its scale shrinks only when 160 do not reach. */
const EXPONENTIAL = { scale: 4, offset: -96, buckets: 96 } as const;
/** Seconds that a delta histogram tells of. */
const DELTA_SECONDS = 30;

type Labels = Readonly<Record<string, string | number>>;

/** One reading of a host: its GPUs, processors, memory, disks, network, and what a service on it measures. */
export function preparePoints(index: number, hosts: number = BENCH_HOSTS): Batch {
  return new Reading(index % hosts);
}

class Reading implements Batch {
  body: Buffer = Buffer.alloc(0);
  items = 0;
  readonly #host: number;

  constructor(host: number) {
    this.#host = host;
    this.items = pointsOf(this.#metrics(0.5, SINCE + 1n));
  }

  renew(random: BenchRandom, beginNanos: bigint): string {
    const metrics = this.#metrics(random.below(1_000) / 1_000, beginNanos);
    const host = `host-${this.#host}`;
    const attributes = {
      'host.name': host,
      'host.id': `id-${host}`,
      'service.name': `service-${this.#host % 12}`,
      'deployment.environment.name': 'production',
    };
    const scope = { name: 'bench.metrics', version: '1.0.0' };
    this.body = Buffer.from(
      encodeMetricsRequest({
        resourceMetrics: [{ resource: { attributes }, scopeMetrics: [{ scope, metrics }] }],
      }),
    );
    return '';
  }

  /** `load` from 0 to 1 moves everything together, as work does. */
  #metrics(load: number, at: bigint): Metric[] {
    const seconds = Number((at - SINCE) / 1_000_000_000n);
    const time = { startTimeUnixNano: SINCE, timeUnixNano: at };
    const value = (asDouble: number, attributes: Labels): NumberPoint => ({ ...time, asDouble, attributes });
    const gauge = (name: string, unit: string, dataPoints: readonly NumberPoint[]): Metric => ({
      name,
      unit,
      gauge: { dataPoints },
    });
    const sum = (
      name: string,
      unit: string,
      isMonotonic: boolean,
      dataPoints: readonly NumberPoint[],
    ): Metric => ({
      name,
      unit,
      sum: { dataPoints, isMonotonic, aggregationTemporality: CUMULATIVE },
    });
    const gpus = Array.from(
      { length: GPUS },
      (_, gpu): Labels => ({
        'hw.id': `GPU-${this.#host}-${gpu}`,
        'hw.name': 'H100 80GB HBM3',
        'hw.vendor': 'NVIDIA',
        'gpu.index': gpu,
        'gpu.pci_address': `0000:${gpu}a:00.0`,
      }),
    );
    const each = (of: (labels: Labels, gpu: number) => readonly NumberPoint[]) => gpus.flatMap(of);
    const directions = ['receive', 'transmit'] as const;
    const histogram = (name: string, unit: string, labels: readonly Labels[]): Metric => ({
      name,
      unit,
      histogram: {
        aggregationTemporality: CUMULATIVE,
        dataPoints: labels.map((attributes, place) => {
          const counts = [...BOUNDS, 0].map((_, bucket) =>
            Math.floor((seconds / 30) * (12 - Math.abs(bucket - 5 - (place % 3)))),
          );
          const count = counts.reduce((total, one) => total + one, 0);
          return {
            ...time,
            attributes,
            count,
            sum: count * 0.31,
            bucketCounts: counts,
            explicitBounds: BOUNDS,
            min: 0.004,
            max: 9.5,
          };
        }),
      },
    });
    const exponential = (name: string, unit: string, delta: boolean, labels: readonly Labels[]): Metric => ({
      name,
      unit,
      exponentialHistogram: {
        aggregationTemporality: delta ? DELTA : CUMULATIVE,
        dataPoints: labels.map((attributes, place) => {
          const { scale, buckets } = EXPONENTIAL;
          const middle = buckets / 2 + place * 3 + (delta ? Math.floor(load * 12) : 0);
          const counts = Array.from({ length: buckets }, (_, bucket) => {
            const share = Math.exp(-(((bucket - middle) / 16) ** 2));
            return Math.floor((delta ? DELTA_SECONDS : seconds) * share * (delta ? 1 + load : 1));
          });
          const count = counts.reduce((total, one) => total + one, 0);
          return {
            ...time,
            startTimeUnixNano: delta ? at - BigInt(DELTA_SECONDS) * 1_000_000_000n : SINCE,
            attributes,
            count,
            sum: count * 0.31,
            scale,
            zeroCount: 0,
            positive: {
              offset: EXPONENTIAL.offset + (delta ? Math.floor(load * 3) : 0),
              bucketCounts: counts,
            },
            min: 0.016,
            max: 1,
          };
        }),
      },
    });
    return [
      gauge(
        'hw.gpu.utilization',
        '1',
        each((gpu, n) =>
          ['general', 'encoder', 'decoder'].map((task) =>
            value(task === 'general' ? Math.min(1, load + n / 40) : load / 9, {
              ...gpu,
              'hw.gpu.task': task,
            }),
          ),
        ),
      ),
      gauge(
        'hw.gpu.memory.utilization',
        '1',
        each((gpu) => [value(0.4 + load / 2, gpu)]),
      ),
      sum(
        'hw.gpu.memory.limit',
        'By',
        false,
        each((gpu) => [value(85_899_345_920, gpu)]),
      ),
      sum(
        'hw.gpu.memory.usage',
        'By',
        false,
        each((gpu) => [value(85_899_345_920 * (0.4 + load / 2), gpu)]),
      ),
      sum(
        'hw.gpu.memory.free',
        'By',
        false,
        each((gpu) => [value(85_899_345_920 * (0.6 - load / 2), gpu)]),
      ),
      gauge(
        'hw.temperature',
        'Cel',
        each((gpu) =>
          ['die', 'memory'].map((place) => value(38 + load * 40, { ...gpu, 'hw.sensor_location': place })),
        ),
      ),
      gauge(
        'hw.power',
        'W',
        each((gpu) => [value(90 + load * 600, gpu)]),
      ),
      gauge(
        'hw.power.limit',
        'W',
        each((gpu) => [value(700, gpu)]),
      ),
      sum(
        'hw.energy',
        'J',
        true,
        each((gpu) => [value(seconds * 400, gpu)]),
      ),
      gauge(
        'hw.gpu.speed',
        'Hz',
        each((gpu) =>
          ['graphics', 'memory', 'sm'].map((clock) =>
            value(1.2e9 + load * 7e8, { ...gpu, 'hw.gpu.clock_domain': clock }),
          ),
        ),
      ),
      sum(
        'hw.gpu.io',
        'By',
        true,
        each((gpu) => directions.map((way) => value(seconds * 2e6, { ...gpu, 'network.io.direction': way }))),
      ),
      sum(
        'hw.errors',
        '{error}',
        true,
        each((gpu, n) =>
          ['corrected', 'uncorrected', 'xid'].map((type) =>
            value(Math.floor(seconds / 90_000) * (n % 2), { ...gpu, 'error.type': type, 'hw.type': 'gpu' }),
          ),
        ),
      ),
      gauge(
        'system.cpu.utilization',
        '1',
        Array.from({ length: CPUS }, (_, cpu) =>
          value(load * (0.5 + (cpu % 5) / 10), { 'cpu.logical_number': cpu }),
        ),
      ),
      sum(
        'system.memory.usage',
        'By',
        false,
        ['used', 'free', 'cached', 'buffers'].map((state) =>
          value(6e10 * (1 + load), { 'system.memory.state': state }),
        ),
      ),
      gauge('system.memory.utilization', '1', [value(0.3 + load / 2, { 'system.memory.state': 'used' })]),
      sum(
        'system.disk.io',
        'By',
        true,
        ['nvme0n1', 'nvme1n1'].flatMap((device) =>
          ['read', 'write'].map((way) =>
            value(seconds * 4e6, { 'system.device': device, 'disk.io.direction': way }),
          ),
        ),
      ),
      gauge(
        'system.filesystem.utilization',
        '1',
        ['/', '/data'].map((mount) =>
          value(0.4 + load / 10, { 'system.filesystem.mountpoint': mount, 'system.device': 'nvme0n1p1' }),
        ),
      ),
      sum(
        'system.network.io',
        'By',
        true,
        ['eth0', 'eth1'].flatMap((nic) =>
          directions.map((way) =>
            value(seconds * 9e5, { 'network.interface.name': nic, 'network.io.direction': way }),
          ),
        ),
      ),
      sum(
        'http.server.requests',
        '{request}',
        true,
        ROUTES.flatMap((route) =>
          [200, 404, 500].map((status) =>
            value(Math.floor(seconds * (status === 200 ? 3 : 0.02)), {
              'http.route': route,
              'http.response.status_code': status,
            }),
          ),
        ),
      ),
      histogram(
        'http.server.request.duration',
        's',
        ROUTES.flatMap((route) =>
          ['GET', 'POST'].map((method) => ({ 'http.route': route, 'http.request.method': method })),
        ),
      ),
      histogram(
        'gen_ai.client.operation.duration',
        's',
        MODELS.map((model) => ({ 'gen_ai.request.model': model, 'gen_ai.operation.name': 'chat' })),
      ),
      exponential(
        'rpc.server.call.duration',
        's',
        false,
        ROUTES.map((route) => ({ 'rpc.method': route })),
      ),
      exponential(
        'rpc.client.call.duration',
        's',
        true,
        ROUTES.map((route) => ({ 'rpc.method': route })),
      ),
    ];
  }
}

function pointsOf(metrics: readonly Metric[]): number {
  const points = metrics.map(
    (metric) =>
      (metric.gauge ?? metric.sum ?? metric.histogram ?? metric.exponentialHistogram)?.dataPoints ?? [],
  );
  return points.reduce((total, list) => total + list.length, 0);
}
