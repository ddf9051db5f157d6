import { expect, it } from 'vitest';
import { isPrivateAddress } from './private-address.ts';

it.each([
  '127.0.0.1',
  '10.1.2.3',
  '172.31.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '[::1]',
  'fd12::1',
  '::ffff:10.0.0.1',
  '64:ff9b::7f00:1',
])('%s is private', (address) => {
  expect(isPrivateAddress(address)).toBe(true);
});

it.each(['8.8.8.8', '172.32.0.1', '2606:4700::1111', 'example.com'])('%s is not', (address) => {
  expect(isPrivateAddress(address)).toBe(false);
});
