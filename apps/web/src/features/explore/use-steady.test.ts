import { expect, it } from 'vitest';
import { steadyScope } from './use-steady.ts';

const at = (toMs: number, chosen = '-1h') => ({
  scope: { window: { fromMs: toMs - 3_600_000, toMs }, q: '', environment: undefined },
  chosen,
});

it('a scope beside a live view moves on now and then, and at once with another choice', () => {
  const held = at(3_600_000);
  const soon = at(3_602_000);
  expect(steadyScope(held, soon, true)).toBe(held.scope);
  expect(steadyScope(held, soon, false)).toBe(soon.scope);
  const late = at(3_631_000);
  expect(steadyScope(held, late, true)).toBe(late.scope);
  const other = at(3_602_000, '-3h');
  expect(steadyScope(held, other, true)).toBe(other.scope);
});
