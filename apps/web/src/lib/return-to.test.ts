import { describe, expect, it } from 'vitest';
import { returnPath } from './return-to.ts';

describe('where to go after signing in', () => {
  it('is a path of this site, with its search', () => {
    expect(returnPath('/traces?q=status%3Aerror&project=p1#x')).toBe('/traces?q=status%3Aerror&project=p1#x');
  });

  it.each([
    undefined,
    7,
    '',
    'traces',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    `/${'x'.repeat(3_000)}`,
  ])('never leads away: %j', (text) => {
    expect(returnPath(text)).toBe('/');
  });

  it('does not lead back to signing in', () => {
    expect(returnPath('/sign-in?next=%2F')).toBe('/');
    expect(returnPath('/sign-in/google')).toBe('/');
    expect(returnPath('/sign-ins')).toBe('/sign-ins');
  });
});
