import { describe, expect, it } from 'vitest';
import { combinationOf } from './key-combination.ts';

const pressed = (key: string, ...held: ('Alt' | 'Control' | 'Meta' | 'AltGraph')[]) => ({
  key,
  altKey: held.includes('Alt'),
  ctrlKey: held.includes('Control'),
  metaKey: held.includes('Meta'),
  getModifierState: (name: string) => held.some((one) => one === name),
});

describe('a key', () => {
  it('is registered by its character, or with the command key', () => {
    expect(combinationOf(pressed('d'), false)).toBe('d');
    expect(combinationOf(pressed('K', 'Control'), false)).toBe('mod+k');
    expect(combinationOf(pressed('k', 'Meta'), true)).toBe('mod+k');
  });

  it('with Alt belongs to browser and system', () => {
    expect(combinationOf(pressed('d', 'Alt'), false)).toBeUndefined();
    expect(combinationOf(pressed('ArrowLeft', 'Alt'), true)).toBeUndefined();
    expect(combinationOf(pressed('k', 'Alt', 'Meta'), true)).toBeUndefined();
  });

  it('is the character that a layout has only with Option or AltGr', () => {
    expect(combinationOf(pressed('[', 'Alt'), true)).toBe('[');
    expect(combinationOf(pressed('[', 'AltGraph'), false)).toBe('[');
    expect(combinationOf(pressed(']', 'Alt', 'Control', 'AltGraph'), false)).toBe(']');
  });
});
