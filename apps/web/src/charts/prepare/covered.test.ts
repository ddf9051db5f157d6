import { expect, it } from 'vitest';
import { missingUntil } from './covered.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 10, 20, 10, minute)).toISOString();
const period = (since: string | null) => ({ from: at(0), to: at(60), since });

it('says from when on there is a period of which more than a twentieth is missing', () => {
  expect(missingUntil(period(at(4)))).toBe(Date.parse(at(4)));
  expect(missingUntil(period(at(60)))).toBe(Date.parse(at(60)));
  for (const whole of [null, undefined, period(null), period(at(3))])
    expect(missingUntil(whole)).toBeUndefined();
});
