import { describe, expect, it } from 'vitest';
import { readFields } from './try-fields.ts';

describe('fields to try', () => {
  it('are the texts, numbers and booleans of an object; the rest is named', () => {
    const read = readFields('{"model":"gpt-4o","tokens":1200,"streaming":true,"tags":["a"],"none":null}');
    expect(read).toEqual({
      fields: new Map<string, unknown>([
        ['model', 'gpt-4o'],
        ['tokens', 1200],
        ['streaming', true],
      ]),
      dropped: ['tags', 'none'],
    });
  });

  it.each(['', '{', 'nothing'])('of %o are none, and it says that it is no JSON', (text) => {
    expect(readFields(text)).toEqual({ trouble: expect.stringMatching(/^This is no JSON: /) });
  });

  it.each(['[]', '1', 'null', '"a"'])('of %o are none: it is no object', (text) => {
    expect(readFields(text)).toEqual({ trouble: expect.stringMatching(/^Give an object/) });
  });
});
