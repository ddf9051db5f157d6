import { type Metric, metric } from './metric.ts';

const NIC = ['hw.id', 'hw.name', 'hw.type', 'network.interface.name'] as const;
const DIRECTED = [...NIC, 'network.io.direction'] as const;
const RDMA = [
  'hw.id',
  'hw.name',
  'hw.type',
  'hw.parent',
  'hw.network.rdma.device',
  'hw.network.rdma.port',
] as const;
const EXTENSION = 'The conventions have no metrics of RDMA devices.';

/** Bytes of network interfaces that are hardware. */
export const hwNetworkIo = metric({
  name: 'hw.network.io',
  instrument: 'counter',
  unit: 'By',
  description: 'Bytes received and transmitted by the network interface.',
  attributes: DIRECTED,
});

export const hwNetworkPackets = metric({
  name: 'hw.network.packets',
  instrument: 'counter',
  unit: '{packet}',
  description: 'Packets received and transmitted by the network interface.',
  attributes: DIRECTED,
});

export const hwNetworkBandwidthLimit = metric({
  name: 'hw.network.bandwidth.limit',
  instrument: 'updown',
  unit: 'By/s',
  description: 'Speed of the link in one direction; absent while the driver names none.',
  attributes: NIC,
});

export const hwNetworkBandwidthUtilization = metric({
  name: 'hw.network.bandwidth.utilization',
  instrument: 'gauge',
  unit: '1',
  description: 'The busier direction as a share of the link speed, since the collection before.',
  attributes: NIC,
});

export const hwNetworkUp = metric({
  name: 'hw.network.up',
  instrument: 'updown',
  unit: '1',
  description: 'Whether the link is up: 1 or 0.',
  attributes: [...NIC, 'hw.parent', 'hw.network.rdma.device', 'hw.network.rdma.port'],
});

export const hwNetworkRdmaIo = metric({
  name: 'hw.network.rdma.io',
  instrument: 'counter',
  unit: 'By',
  description: 'Bytes received and transmitted by the port of an RDMA device.',
  attributes: [...RDMA, 'network.io.direction'],
  differs: EXTENSION,
});

export const hwNetworkRdmaPackets = metric({
  name: 'hw.network.rdma.packets',
  instrument: 'counter',
  unit: '{packet}',
  description: 'Packets received and transmitted by the port of an RDMA device.',
  attributes: [...RDMA, 'network.io.direction'],
  differs: EXTENSION,
});

export const hwNetworkRdmaCongestion = metric({
  name: 'hw.network.rdma.congestion.events',
  instrument: 'counter',
  unit: '{event}',
  description: 'Congestion notifications sent, handled and marked at the port of an RDMA device.',
  attributes: [...RDMA, 'hw.network.rdma.congestion.type'],
  differs: EXTENSION,
});

export const NIC_METRICS: readonly Metric[] = [
  hwNetworkIo,
  hwNetworkPackets,
  hwNetworkBandwidthLimit,
  hwNetworkBandwidthUtilization,
  hwNetworkUp,
];

export const RDMA_METRICS: readonly Metric[] = [
  hwNetworkRdmaIo,
  hwNetworkRdmaPackets,
  hwNetworkRdmaCongestion,
];
