import { describe, expect, it } from 'vitest';
import { guardedLookup, isRefusedAddress, RefusedAddressError } from './address-guard.ts';
import { connect } from './connect.ts';

describe('addresses of connectors', () => {
  it.each([
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '168.63.129.16',
    '0.0.0.0',
    '255.255.255.255',
    '::ffff:169.254.169.254',
    '[::ffff:a9fe:a9fe]',
    'fe80::1%eth0',
    'fd00:ec2::254',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::6464:64c8',
    '64:ff9b::168.63.129.16',
    '64:ff9b:1::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    '2002:6464:64c8::',
    '2002:e000:1::',
    '::169.254.169.254',
    '::a83f:8110',
    '::',
  ])('%s is refused', (address) => {
    expect(isRefusedAddress(address)).toBe(true);
  });

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '192.168.0.9',
    '203.0.113.5',
    '::1',
    'fd12::1',
    '64:ff9b::7f00:1',
    'example.com',
  ])('%s is not', (address) => {
    expect(isRefusedAddress(address)).toBe(false);
  });

  it.each([
    'http://169.254.169.254',
    'http://0xa9fea9fe',
    'http://2852039166',
    'http://[::ffff:169.254.169.254]',
  ])('a client for %s is not even made, however it is spelled', (url) => {
    expect(() => connect({ url, database: 'd', guarded: true }, 'd', 'rows')).toThrow(RefusedAddressError);
  });

  it('a name is refused by what it leads to, and others pass', async () => {
    const look = (host: string, all: boolean) =>
      new Promise((resolve) => {
        guardedLookup(host, { all }, (error, address) => resolve(error ?? address));
      });
    // Resolved without a network: an address in digits.
    for (const all of [false, true]) {
      expect(await look('169.254.169.254', all)).toBeInstanceOf(RefusedAddressError);
      expect(JSON.stringify(await look('127.0.0.1', all))).toContain('127.0.0.1');
    }
  });
});
