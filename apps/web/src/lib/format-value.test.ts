import { describe, expect, it } from 'vitest';
import { exactValue, formatTickValue, formatValue, tipValue } from './format-value.ts';

describe('values with units', () => {
  it('reads the units of OpenTelemetry', () => {
    const cases: [number | null, string, string][] = [
      [0.25, 's', '250 ms'],
      [1_240, 'ms', '1.24 s'],
      [1_536, 'By', '1.5 KiB'],
      [80 * 2 ** 30, 'By', '80 GiB'],
      [3.4 * 2 ** 20, 'By/s', '3.4 MiB/s'],
      [0.425, '1', '42.5%'],
      [42, '%', '42%'],
      [71.25, 'Cel', '71.25 °C'],
      [412.5, 'W', '413 W'],
      [1_980_000_000, 'Hz', '1.98 GHz'],
      [0.0042, 'USD', '$0.0042'],
      [1_234, '{token}', '1.23k tokens'],
      [1, '{request}', '1 request'],
      [12, '{token}/s', '12 tokens/s'],
      [0.5, 's/s', '50%'],
      [12, '', '12'],
      [999_999, 'W', '1 MW'],
      [0.002, 'A', '2 mA'],
      [null, 'By', '–'],
      [Number.NaN, 's', '–'],
      [5, '[unknown]', '5 [unknown]'],
    ];
    for (const [value, unit, text] of cases) expect(formatValue(value, unit), `${value} ${unit}`).toBe(text);
  });
  it('keeps ticks short and titles exact', () => {
    expect(formatTickValue(1_200, '{token}')).toBe('1.2k');
    expect(formatTickValue(0.5, '1')).toBe('50%');
    expect([1, 10, 2.5, 0.25, 60].map((seconds) => formatTickValue(seconds, 's'))).toEqual([
      '1 s',
      '10 s',
      '2.5 s',
      '250 ms',
      '1m',
    ]);
    expect(exactValue(1_234.5678, 'ms')).toBe('1,234.5678 ms');
    expect(exactValue(0.123456, '1')).toBe('12.3456%');
    expect(exactValue(null, 'ms')).toBe('not reported');
    expect([tipValue(12_345), tipValue(1_500, '{token}'), tipValue(0.001_234, 'USD')]).toEqual([
      '12,345',
      '1,500 token',
      '0.001234 USD',
    ]);
    expect(tipValue(1_234.5678, 'ms')).toBe('1.23 s');
  });
});
