import { expect, it } from 'vitest';
import { otlpAttributes } from './otlp-values.ts';

const valueOf = (json: string) => otlpAttributes({ keys: ['k'], values: [json] }, 'j')[0]?.value;
const text = (stringValue: string) => ({ stringValue });

it('maps keep the order of their keys, also where keys are numbers', () => {
  expect(valueOf('{"z":"first","50256":-100,"198":{"7":"in","1":"it"},"a,\\"2\\":":"{\\"3\\":"}')).toEqual({
    kvlistValue: {
      values: [
        { key: 'z', value: text('first') },
        { key: '50256', value: { intValue: '-100' } },
        {
          key: '198',
          value: {
            kvlistValue: {
              values: [
                { key: '7', value: text('in') },
                { key: '1', value: text('it') },
              ],
            },
          },
        },
        { key: 'a,"2":', value: text('{"3":') },
      ],
    },
  });
});

it('a key that begins like the mark of a number stays as it was', () => {
  const key = '\ud800 7';
  expect(valueOf(JSON.stringify({ [key]: 'a', 7: 'b' }))).toEqual({
    kvlistValue: {
      values: [
        { key: '7', value: text('b') },
        { key, value: text('a') },
      ],
    },
  });
});

it('text that was cut stays text as it was', () => {
  expect(valueOf('{"50256":1,"198":"cu')).toEqual(text('{"50256":1,"198":"cu'));
});
