import { expect, it } from 'vitest';
import { shortModels } from './models.ts';

it('names a model once, keeping different models apart', () => {
  expect(shortModels(['gpt-4o', 'gpt-4o-2024-08-06', 'gpt-4o-mini', 'claude-haiku-4-5-20251001'])).toEqual([
    'gpt-4o',
    'gpt-4o-mini',
    'claude-haiku-4-5-20251001',
  ]);
});
