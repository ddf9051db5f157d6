import { expect, it } from 'vitest';
import { prepareTurnBars } from './prepare-turn-bars.ts';

const turn = (costUsd: number | null, errors = 0) => ({ costUsd, inputTokens: 10, outputTokens: 5, errors });

it('shows cost, or tokens where nothing has a price', () => {
  expect(prepareTurnBars([turn(0.5), turn(null)])).toEqual({
    unit: 'cost',
    highest: 0.5,
    turnsPerBar: 1,
    bars: [
      { from: 0, to: 0, value: 0.5, failed: false },
      { from: 1, to: 1, value: 0, failed: false },
    ],
  });
  expect(prepareTurnBars([turn(null)])).toMatchObject({ unit: 'tokens', highest: 15 });
  expect(prepareTurnBars([])).toMatchObject({ bars: [], highest: 0 });
});

it('puts many turns into few bars without losing any', () => {
  const turns = Array.from({ length: 2_000 }, (_, index) => turn(0.25, index === 1_999 ? 1 : 0));
  const { bars, turnsPerBar } = prepareTurnBars(turns);
  expect(turnsPerBar).toBe(21);
  expect(bars.reduce((sum, bar) => sum + bar.value, 0)).toBe(500);
  expect(bars.at(-1)).toMatchObject({ to: 1_999, failed: true });
});
