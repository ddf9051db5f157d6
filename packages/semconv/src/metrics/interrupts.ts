import { type Metric, metric } from './metric.ts';

export const systemInterruptCount = metric({
  name: 'system.interrupt.count',
  instrument: 'counter',
  unit: '{interrupt}',
  description: 'Interrupts handled, by the name of what raised them.',
  attributes: ['system.interrupt.name', 'cpu.logical_number'],
  differs: 'The conventions have no metric of interrupts.',
});

export const INTERRUPT_METRICS: readonly Metric[] = [systemInterruptCount];
