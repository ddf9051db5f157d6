import { describe, expect, it } from 'vitest';
import { eventReader } from './event-stream.ts';

const STREAM =
  'retry: 2000\n: open\n\nevent: rows\nid: 7\ndata: [1,\ndata: 2]\n\r\n: still here\n\ndata:x\n\n';

describe('event stream', () => {
  it('reads the same events however the text is cut', () => {
    const whole = eventReader()(STREAM);
    expect(whole).toEqual([
      { event: 'rows', id: '7', data: '[1,\n2]' },
      { event: 'message', id: '7', data: 'x' },
    ]);
    const read = eventReader();
    expect([...STREAM].flatMap((char) => read(char))).toEqual(whole);
  });
  it('reads other line ends and keeps what is not complete', () => {
    const read = eventReader();
    expect(read('event: a\r\ndata: 1\r\n\r\ndata: un')).toEqual([{ event: 'a', id: '', data: '1' }]);
    expect(read('finished\n\n')).toEqual([{ event: 'message', id: '', data: 'unfinished' }]);
  });
  it('gives up on an event without end', () => {
    const read = eventReader();
    expect(() => read(`data: ${'x'.repeat(16_000_001)}`)).toThrow('too long');
  });
});
