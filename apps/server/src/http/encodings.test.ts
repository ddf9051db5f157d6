import { expect, it } from 'vitest';
import { acceptedEncodings } from './encodings.ts';

it.each([
  ['gzip, deflate, br', ['gzip', 'deflate', 'br']],
  ['GZIP;q=1.0 , br ; q=0.5', ['gzip', 'br']],
  ['gzip;q=0, br;q=0.000', []],
  ['gzip; q=0, identity', ['identity']],
  ['x-gzip', ['x-gzip']],
  ['', ['']],
])('%s is what its sender takes', (header, expected) => {
  expect([...acceptedEncodings(header)]).toEqual(expected);
});
