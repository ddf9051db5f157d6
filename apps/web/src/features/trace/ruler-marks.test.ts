import { describe, expect, it } from 'vitest';
import { rulerMarks } from './ruler-marks.ts';

const labels = (toMs: number, fromMs = 0) => rulerMarks({ fromMs, toMs }, 4).map(({ label }) => label);

describe('marks above the bars of a trace', () => {
  it('are round times, as short as they can be written', () => {
    expect(labels(2_400)).toEqual(['0 ms', '1 s']);
    expect(labels(900)).toEqual(['0 ms', '250 ms', '500 ms']);
    expect(labels(20 * 60_000)).toEqual(['0 ms', '5m', '10m', '15m']);
    expect(labels(2.5 * 86_400_000)).toEqual(['0 ms', '1d', '2d']);
    expect(labels(0.004)).toEqual(['0 ms', '1 µs', '2 µs', '3 µs']);
  });

  it('stand where they are in the stretch', () => {
    expect(rulerMarks({ fromMs: 500, toMs: 1_500 }, 4)).toEqual([
      { share: 0, label: '500 ms' },
      { share: 0.25, label: '750 ms' },
      { share: 0.5, label: '1 s' },
      { share: 0.75, label: '1.25 s' },
    ]);
  });

  it('are not repeated where nothing can be told apart: a trace of one span that took no time', () => {
    expect(labels(0.001)).toEqual(['0 ms']);
  });
});
