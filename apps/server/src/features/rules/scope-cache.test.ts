import { expect, it } from 'vitest';
import { ScopeCache } from './scope-cache.ts';

const HERE = { projectId: 'p', databaseConfigId: 'embedded' };
const THERE = { projectId: 'p', databaseConfigId: 'other' };

interface Reading {
  readonly config: string;
  readonly former: string | undefined;
  end(value: string): void;
  fail(): void;
}

/** A memory whose readings the test ends by hand. */
function memory(most = { size: 100, places: 100 }) {
  const readings: Reading[] = [];
  const held = new ScopeCache<string>(
    ({ databaseConfigId }, former) =>
      new Promise((resolve, reject) => {
        readings.push({
          config: databaseConfigId,
          former,
          end: resolve,
          fail: () => reject(new Error('no connection')),
        });
      }),
    (value) => value.length,
    most,
  );
  const ask = async (place = HERE, answer = 'read') => {
    const asked = held.get(place);
    readings.at(-1)?.end(answer);
    return asked;
  };
  return { held, readings, ask };
}

it('reads a place once for all who ask, and not again until it changed', async () => {
  const { held, readings, ask } = memory();
  const both = [held.get(HERE), held.get({ ...HERE })];
  readings[0]?.end('a');
  expect(await Promise.all(both)).toEqual(['a', 'a']);
  expect(await held.get(HERE)).toBe('a');
  expect(readings).toHaveLength(1);
  held.changed([HERE]);
  expect(await ask(HERE, 'b')).toBe('b');
  expect(readings.map(({ former }) => former)).toEqual([undefined, 'a']);
});

it('reads a changed place again and no other; when nobody knows where, all', async () => {
  const { held, readings, ask } = memory();
  await ask(HERE);
  await ask(THERE);
  held.changed([THERE, { projectId: 'q', databaseConfigId: 'embedded' }]);
  await held.get(HERE);
  await ask(THERE);
  expect(readings.map(({ config }) => config)).toEqual(['embedded', 'other', 'other']);
  held.changed('everywhere');
  await ask(HERE);
  await ask(THERE);
  expect(readings).toHaveLength(5);
});

it('has one reading of a place under way, and gives nobody what began before a change they could know of', async () => {
  const { held, readings } = memory();
  const early = held.get(HERE);
  held.changed([HERE]);
  const late = [held.get(HERE), held.get(HERE)];
  held.changed([HERE]);
  const later = held.get(HERE);
  expect(readings).toHaveLength(1);
  readings[0]?.end('before the changes');
  expect(await early).toBe('before the changes');
  expect(readings).toHaveLength(2);
  const joined = held.get(HERE);
  readings[1]?.end('after them');
  expect(await Promise.all([...late, later, joined])).toEqual(Array(4).fill('after them'));
  expect(await held.get(HERE)).toBe('after them');
  expect(readings).toHaveLength(2);
});

it('tells a failed reading to those who wait, serves nothing older, and reads again for the next', async () => {
  const { held, readings, ask } = memory();
  await ask(HERE, 'old');
  held.changed('everywhere');
  const waiting = held.get(HERE);
  held.changed('everywhere');
  const after = held.get(HERE);
  readings[1]?.fail();
  await expect(waiting).rejects.toThrow('no connection');
  readings[2]?.fail();
  await expect(after).rejects.toThrow('no connection');
  expect(await ask(HERE, 'new')).toBe('new');
  expect(readings.at(-1)?.former).toBe('old');
});

it('lets the places go that were not asked longest', async () => {
  const { readings, ask, held } = memory({ size: 10, places: 2 });
  const place = (databaseConfigId: string) => ({ projectId: 'p', databaseConfigId });
  await ask(place('a'), 'x');
  await ask(place('b'), 'x');
  await held.get(place('a'));
  await ask(place('c'), 'x');
  await held.get(place('a'));
  expect(readings.map(({ config }) => config)).toEqual(['a', 'b', 'c']);
  await ask(place('d'), 'x'.repeat(20));
  await ask(place('a'), 'x');
  expect(readings.map(({ config }) => config)).toEqual(['a', 'b', 'c', 'd', 'a']);
});
