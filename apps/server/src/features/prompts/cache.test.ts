import { describe, expect, it } from 'vitest';
import { ReadCache } from './cache.ts';

function counting(cache: ReadCache<string>) {
  const reads: string[] = [];
  const get = (key: string, value: Promise<string> = Promise.resolve(key)) =>
    cache.get(key, () => {
      reads.push(key);
      return value;
    });
  return { reads, get };
}

describe('what was read', () => {
  it('is read once, also for many who ask at once', async () => {
    const { reads, get } = counting(new ReadCache(10, () => 1));
    expect(await Promise.all([get('a'), get('a'), get('b')])).toEqual(['a', 'a', 'b']);
    await get('a');
    expect(reads).toEqual(['a', 'b']);
  });

  it('is forgotten when it was longest unused, by what it weighs', async () => {
    const { reads, get } = counting(new ReadCache<string>(10, (value) => value.length));
    for (const key of ['aaaa', 'bbbb']) await get(key);
    await get('aaaa');
    await get('cccc');
    await get('aaaa');
    expect(reads).toEqual(['aaaa', 'bbbb', 'cccc']);
    await get('bbbb');
    expect(reads).toHaveLength(4);
  });

  it('stays within its bound while thousands are being read, and keeps nothing larger than that', async () => {
    const cache = new ReadCache<string>(10, (value) => value.length);
    const { reads, get } = counting(cache);
    await Promise.all(Array.from({ length: 1_000 }, (_, n) => get(`k${n}`)));
    await get('x'.repeat(11));
    await get('x'.repeat(11));
    expect(reads.filter((key) => key.startsWith('x'))).toHaveLength(2);
  });

  it('is not kept when it failed', async () => {
    const { reads, get } = counting(new ReadCache(10, () => 1));
    await expect(get('a', Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await get('a')).toBe('a');
    expect(reads).toEqual(['a', 'a']);
  });

  it('is not kept when it was cleared on the way', async () => {
    const cache = new ReadCache<string>(10, () => 1);
    const { reads, get } = counting(cache);
    const { promise, resolve } = Promise.withResolvers<string>();
    const old = get('a', promise);
    cache.clear();
    resolve('old');
    expect(await old).toBe('old');
    expect(await get('a', Promise.resolve('new'))).toBe('new');
    expect(reads).toEqual(['a', 'a']);
  });
});
