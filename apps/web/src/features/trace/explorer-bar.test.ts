import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { ExplorerBar } from './explorer-bar.tsx';
import { notLoaded } from './use-trace-find.ts';

const nothing = (): void => undefined;
const find = {
  text: 'heron',
  setText: nothing,
  found: [3, 7],
  foundSet: new Set([3, 7]),
  pending: false,
  failed: false,
  truncated: false,
  searched: false,
  beyond: [] as readonly string[],
  repeats: 0,
  excerpts: new Map<string, string>(),
  now: () => [3, 7],
};

const drawn = (more: { isPart: boolean; canWalkFailed: boolean }, found: Partial<typeof find> = {}): string =>
  renderToStaticMarkup(
    createElement(ExplorerBar, {
      view: 'tree',
      onView: nothing,
      failed: 70,
      onFailed: nothing,
      finder: { current: null },
      find: { ...find, ...found },
      foundAt: 0,
      excerpt: undefined,
      onNext: nothing,
      onBeyond: nothing,
      anyFolded: false,
      onFoldAll: nothing,
      ...more,
    }),
  );

it('says that more may be found in spans that are not loaded', () => {
  expect(drawn({ isPart: true, canWalkFailed: true })).toContain('1 of 2+');
  expect(drawn({ isPart: false, canWalkFailed: true })).toMatch(/1 of 2</);
});

it('says how many were found in spans that are not loaded, and leads to them', () => {
  const part = { isPart: true, canWalkFailed: true };
  const beyond = ['a', 'b', 'c'];
  const searched = drawn(part, { searched: true, beyond });
  expect(searched).toMatch(/1 of 2<.*<button[^>]*>3 not loaded<\/button>/);
  // Of more than the server names there may be any number on either side.
  expect(drawn(part, { searched: true, truncated: true, beyond })).toMatch(/1 of 2\+.*>3\+ not loaded</);
  expect(drawn(part, { searched: true })).toMatch(/1 of 2</);
  expect(drawn(part, { searched: true })).not.toContain('not loaded');
  // All of the trace is on its way.
  expect(drawn({ ...part, isPart: false }, { searched: true, beyond })).not.toContain('not loaded');
});

it('tells what is found beyond the spans that are here', () => {
  const tree = { positionOf: new Map([['b', 0]]) };
  const hits = ['a', 'b', 'c'].map((spanId) => ({ spanId }));
  expect(notLoaded(hits, tree)).toEqual(['a', 'c']);
});

it('offers no way to failed spans of which none is loaded', () => {
  const buttons = (html: string) => html.match(/<button[^>]*failed span"[^>]*>/g) ?? [];
  const isOff = (html: string) => buttons(html).map((button) => button.includes('disabled=""'));
  expect(isOff(drawn({ isPart: true, canWalkFailed: false }))).toEqual([true, true]);
  expect(isOff(drawn({ isPart: true, canWalkFailed: true }))).toEqual([false, false]);
});
