import { expect, it } from 'vitest';
import { shownSpan } from './span-otlp.ts';

const START = '1763000000000000001';
const END = '1763000000001000001';
const IDS = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };

const span = (endTimeUnixNano: string) => ({
  ...IDS,
  startTimeUnixNano: START,
  endTimeUnixNano,
  attributes: [{ key: 'big', value: { arrayValue: { values: [{ intValue: '9007199254740993' }] } } }],
});
const line = (...spans: object[]) =>
  `${JSON.stringify({
    resourceSpans: [
      { resource: { attributes: [] }, scopeSpans: [{ scope: { name: 'other' }, spans: [] }] },
      { resource: { attributes: [] }, scopeSpans: [{ scope: { name: 'lib' }, spans }] },
    ],
  })}\n`;

it('of a span that is stored twice the one that is shown is taken, as it was exported', () => {
  const lines = line(span('0')) + line(span(END));
  const shown = { ...IDS, startTimeUnixNano: START, endTimeUnixNano: END, unfinished: false };
  expect(JSON.parse(shownSpan(lines, shown))).toEqual({
    resourceSpans: [
      { resource: { attributes: [] }, scopeSpans: [{ scope: { name: 'lib' }, spans: [span(END)] }] },
    ],
  });
  const running = { ...shown, endTimeUnixNano: START, unfinished: true };
  expect(shownSpan(lines, running)).toContain('"endTimeUnixNano": "0"');
  expect(() => shownSpan('', shown)).toThrow('no such span');
});
