import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareVersions, formatVersion, nextVersion, parseSelector, parseVersion } from './version.ts';

describe('versions', () => {
  it('are ordered as numbers', () => {
    const texts = ['10.0.0', '9.0.0', '1.10.0', '1.9.9', '1.9.10', '0.0.1'];
    const ordered = texts.map((text) => parseVersion(text) ?? { major: 0, minor: 0, patch: 0 });
    expect(ordered.toSorted(compareVersions).map(formatVersion)).toEqual([
      '0.0.1',
      '1.9.9',
      '1.9.10',
      '1.10.0',
      '9.0.0',
      '10.0.0',
    ]);
  });

  it('follow one another, always upwards', () => {
    expect(formatVersion(nextVersion(undefined, 'patch'))).toBe('0.0.1');
    expect(formatVersion(nextVersion(undefined, 'major'))).toBe('1.0.0');
    const number = fc.nat({ max: 1_000 });
    fc.assert(
      fc.property(
        fc.record({ major: number, minor: number, patch: number }),
        fc.constantFrom('major', 'minor', 'patch'),
        (version, bump) => {
          const next = nextVersion(version, bump);
          expect(compareVersions(next, version)).toBeGreaterThan(0);
          expect(parseVersion(formatVersion(next))).toEqual(next);
        },
      ),
    );
  });

  it.each([
    [undefined, { kind: 'latest' }],
    [null, { kind: 'latest' }],
    [' ', { kind: 'latest' }],
    ['latest', { kind: 'latest' }],
    ['1.2.3', { kind: 'exact', version: { major: 1, minor: 2, patch: 3 } }],
    ['1.x', { kind: 'range', major: 1, minor: undefined }],
    ['1.2.X', { kind: 'range', major: 1, minor: 2 }],
    ['1.2.*', { kind: 'range', major: 1, minor: 2 }],
    ['production', { kind: 'label', label: 'production' }],
    ['x', { kind: 'label', label: 'x' }],
  ])('are asked for by %j', (text, selector) => {
    expect(parseSelector(text)).toEqual(selector);
  });

  it.each([
    '1',
    '1.2',
    '01.2.3',
    '1.2.3.4',
    '1.2.3-rc1',
    '-1.0.0',
    '9999999999.0.0',
    'Production',
    '1.x.x',
    '^1.0',
    "1.0.0'--",
  ])('are not asked for by %j', (text) => {
    expect(parseSelector(text)).toBeUndefined();
  });
});
