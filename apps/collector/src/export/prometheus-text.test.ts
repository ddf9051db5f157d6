import { COLLECTOR_METRICS, metric, type Metric } from '@candela/semconv/metrics';
import { describe, expect, it } from 'vitest';
import type { Point } from '../collection.ts';
import { SOURCES } from '../registry.ts';
import { prometheusName, prometheusText } from './prometheus-text.ts';

const named = (name: string, instrument: Metric['instrument'], unit: string): Metric =>
  metric({ name, instrument, unit, description: 'A test.', attributes: [] });

it.each([
  ['system.memory.usage', 'updown', 'By', 'system_memory_usage_bytes'],
  ['system.cpu.utilization', 'gauge', '1', 'system_cpu_utilization_ratio'],
  ['hw.fan.speed_ratio', 'gauge', '1', 'hw_fan_speed_ratio'],
  ['hw.status', 'updown', '1', 'hw_status'],
  ['process.cpu.time', 'counter', 's', 'process_cpu_time_seconds_total'],
  ['system.interrupt.count', 'counter', '{interrupt}', 'system_interrupt_count_total'],
  ['system.cpu.logical.count', 'updown', '{cpu}', 'system_cpu_logical'],
  ['hw.network.bandwidth.limit', 'updown', 'By/s', 'hw_network_bandwidth_limit_bytes_per_second'],
  ['9.lives', 'gauge', '{life}', '_9_lives'],
] as const)('%s becomes a name of Prometheus', (name, instrument, unit, expected) => {
  expect(prometheusName(named(name, instrument, unit))).toBe(expected);
});

describe('every metric of the agent', () => {
  const all = [...new Set([...SOURCES.flatMap(({ metrics }) => metrics), ...COLLECTOR_METRICS])];

  it('has a name of its own that promtool would not object to', () => {
    const names = all.map(prometheusName);
    expect(new Set(names).size).toBe(all.length);
    for (const [index, name] of names.entries()) {
      expect(name).toMatch(/^[a-z_][a-z0-9_]*$/);
      expect(name.endsWith('_total')).toBe(all[index]?.instrument === 'counter');
      expect(name).not.toMatch(/_(count|sum|bucket|info)$/);
      // What promtool takes for abbreviated or prefixed units.
      expect(name.split('_')).not.toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^(s|ms|us|ns|sec|b|kb|mb|gb|tb|pb|m|h|d|milliseconds|percent)$/),
        ]),
      );
    }
  });

  it('has a description, a unit and attributes of the right form', () => {
    for (const { name, description, unit, attributes } of all) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$/);
      expect(description.trim()).not.toBe('');
      expect(unit).toMatch(/^(1|By|By\/s|s|Cel|W|J|Hz|V|rpm|\{[a-z_ ]+\})$/);
      for (const key of attributes) expect(key).toMatch(/^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$/);
    }
  });
});

it('writes samples that hostile labels cannot break out of', () => {
  const usage = named('system.filesystem.usage', 'updown', 'By');
  const points: Point[] = [
    { value: 1.5, attributes: { 'system.filesystem.mountpoint': '/a"b\\c\nd', 'a.b': 1, a_b: true } },
    { value: 0, attributes: {} },
  ];
  const text = prometheusText(
    { at: 0, points: new Map([[usage, points]]) },
    new Map([['host.name', 'x"} 1']]),
  );
  expect(text).toBe(`# HELP target_info Attributes of the machine and of the agent.
# TYPE target_info gauge
target_info{host_name="x\\"} 1"} 1
# HELP system_filesystem_usage_bytes A test.
# TYPE system_filesystem_usage_bytes gauge
system_filesystem_usage_bytes{system_filesystem_mountpoint="/a\\"b\\\\c\\nd",a_b="1;true"} 1.5
system_filesystem_usage_bytes 0
`);
});
