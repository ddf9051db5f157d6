import { expect, it } from 'vitest';
import { namesModel, shortModels, withModelNames } from './models.ts';

it('names a model once and without its date, keeping different models apart', () => {
  expect(shortModels(['gpt-4o', 'gpt-4o-2024-08-06', 'gpt-4o-mini', 'claude-haiku-4-5-20251001'])).toEqual([
    'gpt-4o',
    'gpt-4o-mini',
    'claude-haiku-4-5',
  ]);
});

it('keeps what is no date, and dates that tell two releases apart', () => {
  expect(shortModels(['mistral-large-2411', 'gpt-4o-2024-05-13', 'gpt-4o-2024-08-06'])).toEqual([
    'mistral-large-2411',
    'gpt-4o-2024-05-13',
    'gpt-4o-2024-08-06',
  ]);
  expect(shortModels(['gpt-4o-2024-05-13', 'gpt-4o-2024-05-13', 'local-12345678'])).toEqual([
    'gpt-4o',
    'local-12345678',
  ]);
});

it('never gives two series one name', () => {
  const labels = (...names: string[]) =>
    withModelNames(names.map((label) => ({ label }))).map((one) => one.label);
  expect(labels('gpt-4o', 'gpt-4o-2024-08-06', 'gpt-5-2025-08-07')).toEqual([
    'gpt-4o',
    'gpt-4o-2024-08-06',
    'gpt-5',
  ]);
});

it('gives a name to no other model of the page', () => {
  const dated = { label: 'gpt-4o-mini-2024-07-18' };
  expect(withModelNames([dated])).toEqual([{ label: 'gpt-4o-mini', title: 'gpt-4o-mini-2024-07-18' }]);
  expect(withModelNames([dated], ['gpt-4o-mini', 'gpt-4o-mini-2024-07-18'])).toEqual([dated]);
  expect(withModelNames([dated], ['gpt-4o'])).toMatchObject([{ label: 'gpt-4o-mini' }]);
});

it('takes a model for named only by its own name, with or without the date', () => {
  expect(namesModel('chat gpt-4o', 'gpt-4o-2024-08-06')).toBe(true);
  expect(namesModel('chat gpt-4o-2024-08-06', 'gpt-4o-2024-08-06')).toBe(true);
  expect(namesModel('chat gpt-4o', 'gpt-4o-mini-2024-07-18')).toBe(false);
  expect(namesModel('gemini answer', 'gemini-2.5-pro')).toBe(false);
});
