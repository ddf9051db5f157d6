import { afterEach, describe, expect, it, vi } from 'vitest';
import { gather, TooLargeToSave } from './save-stream.ts';

/** A stream of parts, and whether whoever read it gave it up. */
function streamOf(parts: readonly string[]) {
  let given = false;
  const left = parts.map((part) => new TextEncoder().encode(part));
  const stream = new ReadableStream<Uint8Array>({
    pull(control) {
      const part = left.shift();
      if (part === undefined) control.close();
      else control.enqueue(part);
    },
    cancel() {
      given = true;
    },
  });
  return { stream, isGiven: () => given };
}

afterEach(() => vi.unstubAllGlobals());

describe('a stream becomes a file', () => {
  it('whole and in order, however little of it is held', async () => {
    const parts = Array.from({ length: 50 }, (_, index) => `part ${index};`);
    let heard = 0;
    const onPart = (part: Uint8Array) => {
      heard += part.length;
    };
    const blob = await gather(streamOf(parts).stream, onPart, { held: 20 });
    expect(await blob.text()).toBe(parts.join(''));
    expect(heard).toBe(blob.size);
  });

  it('unless it is more than a tab puts together: then it is given up', async () => {
    const { stream, isGiven } = streamOf(['1234', '5678', '9']);
    await expect(gather(stream, () => {}, { most: 7 })).rejects.toBeInstanceOf(TooLargeToSave);
    expect(isGiven()).toBe(true);
  });

  it('unless the browser has no room for it, which only reading it tells', async () => {
    class Unreadable extends Blob {
      override slice(): Blob {
        return this;
      }
      override arrayBuffer(): Promise<never> {
        return Promise.reject(new DOMException('', 'NotReadableError'));
      }
    }
    vi.stubGlobal('Blob', Unreadable);
    const { stream, isGiven } = streamOf(['1234', '5678', '9']);
    await expect(gather(stream, () => {}, { held: 4 })).rejects.toBeInstanceOf(TooLargeToSave);
    expect(isGiven()).toBe(true);
  });
});
