import { describe, expect, it } from 'vitest';
import { NAMED_FIELDS, ruleFieldOf } from './field-names.ts';

describe('fields of rules', () => {
  it('are those of spans that have values', () => {
    const names = new Map(NAMED_FIELDS.map((field) => [field.name, field.dataType]));
    expect(names.get('model')).toBe('string');
    expect(names.get('duration_ms')).toBe('number');
    expect(names.get('root')).toBe('boolean');
    expect(names.get('ServiceName')).toBe('string');
    expect(names.has('prompt')).toBe(false);
    expect(names.has('severity')).toBe(false);
  });

  it('attributes go by their bare keys, unless these mean something else', () => {
    expect(ruleFieldOf({ field: 'attributes.user.tier', type: 'string' })).toMatchObject({
      name: 'user.tier',
    });
    expect(ruleFieldOf({ field: 'attributes.model', type: 'string' })).toMatchObject({
      name: 'attributes.model',
    });
    expect(ruleFieldOf({ field: 'attributes.Duration', type: 'number' })).toEqual({
      name: 'attributes.Duration',
      dataType: 'number',
      hint: 'number',
    });
    expect(ruleFieldOf({ field: 'resource.host.name', type: 'mixed' })).toMatchObject({
      name: 'resource.host.name',
      dataType: 'string',
    });
  });
});
