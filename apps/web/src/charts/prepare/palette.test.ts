import { expect, it } from 'vitest';
import { PALETTE_SIZE, paletteOf, paletteOfAll } from './palette.ts';

const names = Array.from({ length: 60 }, (_, index) => `model-${index}`);
const alone = (key: string) => paletteOf([key]).get(key) ?? '';

it('gives a key its own colour wherever nobody else has that', () => {
  // Two that clash, and six whose own colours are all different from theirs and from each other.
  const byColour = Map.groupBy(names, alone);
  const [first, second] = byColour.get(alone('model-0')) ?? [];
  const others = [...byColour]
    .filter(([colour]) => colour !== alone('model-0'))
    .map(([, keys]) => keys[0] ?? '');
  expect(others).toHaveLength(PALETTE_SIZE - 1);
  const clash = paletteOf([...others.slice(1), second ?? '', first ?? '']);
  for (const key of others.slice(1)) expect(clash.get(key)).toBe(alone(key));
  expect([clash.get(first ?? ''), clash.get(second ?? '')]).toContain(alone('model-0'));
  expect(new Set(clash.values()).size).toBe(PALETTE_SIZE);
});

it('does not depend on the order, and gives more keys than colours a colour too', () => {
  expect([...paletteOf(names.toReversed())].sort()).toEqual([...paletteOf(names)].sort());
  expect(paletteOf(names).size).toBe(names.length);
});

it('gives what stands in several charts one colour, and nothing two within one', () => {
  let apart = 0;
  for (let at = 0; at + 13 <= names.length; at += 1) {
    const charts = [names.slice(at, at + 8), names.slice(at + 5, at + 13)];
    const all = paletteOfAll(charts);
    for (const keys of charts) expect(new Set(keys.map((key) => all.get(key))).size).toBe(PALETTE_SIZE);
    const [one, other] = charts.map((keys) => paletteOf(keys));
    if (names.slice(at + 5, at + 8).some((key) => one?.get(key) !== other?.get(key))) apart += 1;
  }
  // Each chart by itself gives some of them two colours.
  expect(apart).toBeGreaterThan(0);
});
