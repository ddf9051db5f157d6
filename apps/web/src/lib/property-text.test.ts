import { describe, expect, it } from 'vitest';
import { pairsOf, propertiesOf, propertyText, propertyValue } from './property-text.ts';

describe('properties as text', () => {
  it.each([
    'plain',
    '12',
    'true',
    '"quoted"',
    '{"a":1}',
    '',
    ' 7 ',
    '- not json',
    12,
    -0.5,
    true,
    null,
    ['a', 1],
    { deep: { er: [] } },
  ])('%j comes back as it was', (value) => {
    expect(propertyValue(propertyText(value))).toEqual(value);
  });
  it('leaves out pairs without a key and keeps hostile keys', () => {
    const hostile = JSON.parse('{"__proto__":"x","constructor":2}') as Record<string, unknown>;
    expect(Object.entries(propertiesOf(pairsOf(hostile)))).toEqual([
      ['__proto__', 'x'],
      ['constructor', 2],
    ]);
    expect(propertiesOf([{ key: ' ', text: 'x' }])).toEqual({});
  });
});
