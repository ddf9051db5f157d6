import { join } from 'node:path';
import {
  hwErrors,
  hwNetworkRdmaCongestion,
  hwNetworkRdmaIo,
  hwNetworkRdmaPackets,
  hwNetworkUp,
  type Metric,
  RDMA_METRICS,
} from '@candela/semconv/metrics';
import { MonotonicCounters } from '../counters.ts';
import { DriverFiles } from '../driver-files.ts';
import { readNames } from '../files.ts';
import { errorText } from '../log.ts';
import type { PointAttributes } from '../point-attributes.ts';
import {
  READY,
  type RecordPoint,
  type Source,
  type SourceContext,
  type SourceEntry,
  type Started,
  unavailable,
} from '../source.ts';

const MAX_DEVICES = 256;
const MAX_PORTS = 16;

interface Counter {
  readonly metric: Metric;
  readonly attributes: PointAttributes;
  /** What one unit of the file stands for. */
  readonly scale: number;
}

const receive = { 'network.io.direction': 'receive' };
const transmit = { 'network.io.direction': 'transmit' };
const io = (attributes: PointAttributes, scale: number): Counter => ({
  metric: hwNetworkRdmaIo,
  attributes,
  scale,
});
const packets = (attributes: PointAttributes): Counter => ({
  metric: hwNetworkRdmaPackets,
  attributes,
  scale: 1,
});
const congestion = (type: string): Counter => ({
  metric: hwNetworkRdmaCongestion,
  attributes: { 'hw.network.rdma.congestion.type': type },
  scale: 1,
});
const error = (type: string): Counter => ({ metric: hwErrors, attributes: { 'error.type': type }, scale: 1 });

/** Counters that are known, by the name of their file. The port's data counters tell 32-bit words, by the standard. */
const COUNTERS: ReadonlyMap<string, Counter> = new Map([
  ['port_rcv_data', io(receive, 4)],
  ['port_xmit_data', io(transmit, 4)],
  ['port_rcv_packets', packets(receive)],
  ['port_xmit_packets', packets(transmit)],
  // EFA has no counters of the standard; these are bytes.
  ['rx_bytes', io(receive, 1)],
  ['tx_bytes', io(transmit, 1)],
  ['rx_pkts', packets(receive)],
  ['tx_pkts', packets(transmit)],
  ['np_cnp_sent', congestion('cnp_sent')],
  ['rp_cnp_handled', congestion('cnp_handled')],
  ['rp_cnp_ignored', congestion('cnp_ignored')],
  ['np_ecn_marked_roce_packets', congestion('ecn_marked')],
  ['symbol_error', error('symbol')],
  ['link_downed', error('link_downed')],
  ['link_error_recovery', error('link_error_recovery')],
  ['port_xmit_discards', error('rdma_xmit_discards')],
  ['port_rcv_errors', error('rdma_rcv_errors')],
  ['port_rcv_remote_physical_errors', error('rdma_rcv_remote_physical_errors')],
  ['port_rcv_switch_relay_errors', error('rdma_rcv_switch_relay_errors')],
  ['port_rcv_constraint_errors', error('rdma_rcv_constraint_errors')],
  ['port_xmit_constraint_errors', error('rdma_xmit_constraint_errors')],
  ['local_link_integrity_errors', error('local_link_integrity')],
  ['excessive_buffer_overrun_errors', error('excessive_buffer_overrun')],
  ['VL15_dropped', error('vl15_dropped')],
  ['out_of_sequence', error('out_of_sequence')],
  ['out_of_buffer', error('out_of_buffer')],
  ['packet_seq_err', error('packet_seq_err')],
  ['local_ack_timeout_err', error('local_ack_timeout')],
  ['rnr_nak_retry_err', error('rnr_nak_retry')],
  ['implied_nak_seq_err', error('implied_nak_seq')],
  ['duplicate_request', error('duplicate_request')],
  ['roce_adp_retrans', error('roce_adp_retrans')],
  ['rx_drops', error('rx_drops')],
]);

const BUILT_IN: readonly string[] = [
  'port_rcv_data',
  'port_xmit_data',
  'port_rcv_packets',
  'port_xmit_packets',
  'rx_bytes',
  'tx_bytes',
  'rx_pkts',
  'tx_pkts',
  'port_xmit_discards',
  'symbol_error',
  'link_error_recovery',
  'link_downed',
  'np_cnp_sent',
  'rp_cnp_handled',
  'np_ecn_marked_roce_packets',
];

/** Counters to read, and names among the wanted that stand for none. */
export function chooseCounters(wanted: readonly string[]): { names: string[]; unknown: string[] } {
  const asked = wanted.length === 0 ? BUILT_IN : [...new Set(wanted)];
  return {
    names: asked.filter((name) => COUNTERS.has(name)),
    unknown: asked.filter((name) => !COUNTERS.has(name)),
  };
}

/** `4: ACTIVE`. */
export function isActive(state: string | undefined): boolean {
  return state !== undefined && /^4\b/.test(state);
}

class Rdma implements Source {
  readonly #classPath: string;
  readonly #context: SourceContext;
  readonly #names: readonly string[];
  readonly #unknown: readonly string[];
  readonly #counters = new MonotonicCounters();
  readonly #failing = new Set<string>();
  readonly #files: DriverFiles;

  constructor(context: SourceContext) {
    this.#context = context;
    this.#classPath = join(context.paths.sys, 'class/infiniband');
    this.#files = new DriverFiles('RDMA port', context.log);
    const { names, unknown } = chooseCounters(context.config.rdma.counters);
    this.#names = names;
    this.#unknown = unknown;
  }

  async start(): Promise<Started> {
    if ((readNames(this.#classPath, MAX_DEVICES) ?? []).length === 0) {
      return unavailable(`no RDMA device in ${this.#classPath}`);
    }
    if (this.#unknown.length > 0) {
      this.#context.log.warn('OTEL_HOST_RDMA_COUNTERS names counters that are not known', {
        counters: this.#unknown.join(','),
      });
    }
    return READY;
  }

  async observe(record: RecordPoint): Promise<void> {
    for (const device of readNames(this.#classPath, MAX_DEVICES) ?? []) {
      for (const port of readNames(join(this.#classPath, device, 'ports'), MAX_PORTS) ?? []) {
        const id = `${device}:${port}`;
        try {
          await this.#observePort(device, port, record);
          this.#failing.delete(id);
        } catch (thrown) {
          // Firmware that does not answer costs its own port, not the others.
          if (this.#failing.has(id)) continue;
          this.#failing.add(id);
          this.#context.log.warn('An RDMA port could not be read', { port: id, error: errorText(thrown) });
        }
      }
    }
    this.#counters.sweep();
  }

  async stop(): Promise<void> {
    await this.#files.stop();
  }

  async #observePort(device: string, port: string, record: RecordPoint): Promise<void> {
    const at = join(this.#classPath, device, 'ports', port);
    const id = `${device}:${port}`;
    const statePath = join(at, 'state');
    const netdevPath = join(at, 'gid_attrs/ndevs/0');
    const placesOf = (name: string) => [join(at, 'counters', name), join(at, 'hw_counters', name)] as const;
    const files = await this.#files.read(id, [statePath, netdevPath, ...this.#names.flatMap(placesOf)]);
    if (files === undefined) return;
    const parent = files.line(netdevPath) ?? this.#onlyNetdev(device);
    const base: PointAttributes = {
      'hw.id': id,
      'hw.name': device,
      'hw.type': 'network',
      'hw.network.rdma.device': device,
      'hw.network.rdma.port': port,
      ...(parent === undefined ? {} : { 'hw.parent': parent }),
    };
    const given = new Set<string>();
    for (const name of this.#names) {
      const counter = COUNTERS.get(name);
      if (counter === undefined) continue;
      // Two files may tell the same thing: the first that is there counts.
      const series = `${counter.metric.name} ${Object.values(counter.attributes).join(' ')}`;
      if (given.has(series)) continue;
      const [standard, own] = placesOf(name);
      const raw = files.count(standard) ?? files.count(own);
      const total = raw === undefined ? undefined : this.#counters.read(`${id}/${name}`, raw);
      if (total === undefined) continue;
      given.add(series);
      record(counter.metric, total * counter.scale, { ...base, ...counter.attributes });
    }
    const state = files.line(statePath);
    if (state !== undefined) record(hwNetworkUp, isActive(state) ? 1 : 0, base);
  }

  /** The network interface of the card, if there is but one: of several it is not said which goes with a port. */
  #onlyNetdev(device: string): string | undefined {
    const all = readNames(join(this.#classPath, device, 'device/net'), 16) ?? [];
    return all.length === 1 ? all[0] : undefined;
  }
}

export const rdma: SourceEntry = {
  id: 'rdma',
  summary: 'Traffic, congestion and errors of the ports of RDMA devices (InfiniBand, RoCE, EFA)',
  platforms: ['linux'],
  metrics: [...RDMA_METRICS, hwNetworkUp, hwErrors],
  off: (config) => (config.rdma.enabled ? undefined : 'OTEL_HOST_RDMA_ENABLED is false'),
  create: (context) => new Rdma(context),
};
