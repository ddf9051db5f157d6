import { describe, expect, it } from 'vitest';
import { handlersOf } from './index.ts';

const answer = (): never => {
  throw new Error('never asked');
};

describe('the list of features', () => {
  it('refuses two that answer one route, and names both', () => {
    const tail = { name: 'tail', handlers: { listViews: answer } };
    const views = { name: 'views', handlers: { listViews: answer } };
    expect(() => handlersOf([tail, views])).toThrow('Two features answer listViews: tail and views');
    expect(handlersOf([views])).toEqual({ listViews: answer });
  });
});
