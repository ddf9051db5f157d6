import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePrometheusText } from './prometheus-text.ts';

const WANTED = new Set(['a', 'b_total']);
const parse = (text: string) =>
  parsePrometheusText(text, WANTED).map(({ name, labels, value }) => [
    name,
    Object.fromEntries(labels),
    value,
  ]);

describe('parsePrometheusText', () => {
  it('reads names, labels and values, and passes over the rest', () => {
    expect(
      parse(
        [
          '# HELP a what it is',
          '# TYPE a gauge',
          'a 1',
          'a{x="1",y="two words"} 2.5e3 1700000000000',
          'a { x = "1" , } .5',
          'b_total{} 7 # {trace_id="x"} 1',
          'ab 3',
          'c{x="1"} 4',
          '',
          '  a{x="tab"}\t9  ',
        ].join('\r\n'),
      ),
    ).toEqual([
      ['a', {}, 1],
      ['a', { x: '1', y: 'two words' }, 2_500],
      ['a', { x: '1' }, 0.5],
      ['b_total', {}, 7],
      ['a', { x: 'tab' }, 9],
    ]);
  });

  it('undoes escapes, and keeps braces and hashes within quotes', () => {
    expect(parse('a{x="q\\"u\\\\o\\nte",y="}# {"} 1')).toEqual([['a', { x: 'q"u\\o\nte', y: '}# {' }, 1]]);
  });

  it('drops values that measure nothing and lines that are broken', () => {
    const broken = [
      'a NaN',
      'a +Inf',
      'a -Inf',
      'a',
      'a ',
      'a 0x10',
      'a 1e999',
      'a{x="1" 2',
      'a{x="1} 2',
      'a{x=1} 2',
      'a{x="1"}',
      'a1 2',
    ];
    expect(parse(broken.join('\n'))).toEqual([]);
  });

  it('bounds lines, labels and values', () => {
    expect(parse(`a{x="${'v'.repeat(5_000)}"} 1`)).toEqual([['a', { x: 'v'.repeat(255) }, 1]]);
    expect(parse(`a{x="${'v'.repeat(50_000)}"} 1`)).toEqual([]);
    const labels = Array.from({ length: 65 }, (_, i) => `l${i}="1"`).join(',');
    expect(parse(`a{${labels}} 1`)).toEqual([]);
    expect(parse('a 1\n'.repeat(20_000))).toHaveLength(10_000);
    expect(parse(`${'\n'.repeat(200_000)}a 1`)).toEqual([]);
  });

  it('survives any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (rest) => {
        for (const { value } of parsePrometheusText(`a{${rest}\na ${rest}`, WANTED)) {
          expect(Number.isFinite(value)).toBe(true);
        }
      }),
    );
  });

  it('gives back any labels it was given', () => {
    const label = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => !/[\n\r]/.test(text));
    fc.assert(
      fc.property(label, fc.double({ noNaN: true, noDefaultInfinity: true }), (text, value) => {
        const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
        expect(parse(`a{x="${escaped}"} ${value}`)).toEqual([['a', { x: text }, Number(String(value))]]);
      }),
    );
  });
});
