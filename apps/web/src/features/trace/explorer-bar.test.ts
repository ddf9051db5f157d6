import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { ExplorerBar } from './explorer-bar.tsx';

const nothing = (): void => undefined;
const find = {
  text: 'heron',
  setText: nothing,
  found: [3, 7],
  foundSet: new Set([3, 7]),
  pending: false,
  failed: false,
  truncated: false,
  repeats: 0,
  excerpts: new Map<string, string>(),
  now: () => [3, 7],
};

const drawn = (more: { isPart: boolean; canWalkFailed: boolean }): string =>
  renderToStaticMarkup(
    createElement(ExplorerBar, {
      view: 'tree',
      onView: nothing,
      failed: 70,
      onFailed: nothing,
      finder: { current: null },
      find,
      foundAt: 0,
      excerpt: undefined,
      onNext: nothing,
      anyFolded: false,
      onFoldAll: nothing,
      ...more,
    }),
  );

it('says that more may be found in spans that are not loaded', () => {
  expect(drawn({ isPart: true, canWalkFailed: true })).toContain('1 of 2+');
  expect(drawn({ isPart: false, canWalkFailed: true })).toMatch(/1 of 2</);
});

it('offers no way to failed spans of which none is loaded', () => {
  const buttons = (html: string) => html.match(/<button[^>]*failed span"[^>]*>/g) ?? [];
  const isOff = (html: string) => buttons(html).map((button) => button.includes('disabled=""'));
  expect(isOff(drawn({ isPart: true, canWalkFailed: false }))).toEqual([true, true]);
  expect(isOff(drawn({ isPart: true, canWalkFailed: true }))).toEqual([false, false]);
});
