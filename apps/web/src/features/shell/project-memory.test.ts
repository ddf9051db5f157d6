import { afterEach, describe, expect, it } from 'vitest';
import { lastProject, projectToOpen } from './project-memory.ts';

const TWO = [{ id: 'default' }, { id: 'research' }];

describe('project of an address without one', () => {
  afterEach(() => lastProject.set(''));

  it('needs no name while there is one only', () => {
    expect(projectToOpen('', [])).toBeUndefined();
    expect(projectToOpen('', TWO.slice(0, 1))).toBeUndefined();
  });

  it('is the first of several, or the one that was open last', () => {
    expect(projectToOpen('', TWO)).toBe('default');
    lastProject.set('research');
    expect(projectToOpen('', TWO)).toBe('research');
    lastProject.set('gone');
    expect(projectToOpen('', TWO)).toBe('default');
  });

  it('leaves an address that names one as it is', () => {
    expect(projectToOpen('other', TWO)).toBeUndefined();
  });
});
