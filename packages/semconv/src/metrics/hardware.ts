import { GPU_ATTRIBUTES } from './gpu-attributes.ts';
import { metric } from './metric.ts';

/** Metrics that every kind of hardware shares; `hw.type` says of which kind a point is. */
export const hwErrors = metric({
  name: 'hw.errors',
  instrument: 'counter',
  unit: '{error}',
  description: 'Errors the component has met.',
  attributes: [
    ...GPU_ATTRIBUTES,
    'hw.type',
    'error.type',
    'network.interface.name',
    'network.io.direction',
    'hw.network.rdma.device',
    'hw.network.rdma.port',
  ],
});

export const hwStatus = metric({
  name: 'hw.status',
  instrument: 'updown',
  unit: '1',
  description: 'State of the component: 1 for the state that holds, 0 for the others.',
  attributes: [...GPU_ATTRIBUTES, 'hw.type', 'hw.state', 'network.interface.name'],
});
