import { expect, it } from 'vitest';
import { changelogOf } from './changelog.ts';

it('is made from commits: a section a version, an area a heading, each change once', () => {
  const commit = (subject: string, tags: readonly string[] = []) => ({ date: '2026-11-28', tags, subject });
  expect(
    changelogOf(
      [
        commit('cli: imports'),
        commit('tests: quicker'),
        commit('docs: generated files'),
        commit('alerts: by <b>mail</b>'),
        commit('cli: imports'),
        commit('without an area', ['v0.1.0', 'other']),
        commit('cli: begins'),
      ],
      '0.2.0',
    ),
  ).toBe(`# Changes

## 0.2.0 (2026-11-28)

### alerts

- by \\<b>mail\\</b>

### cli

- imports

## 0.1.0 (2026-11-28)

### cli

- begins

### other

- without an area
`);
});
