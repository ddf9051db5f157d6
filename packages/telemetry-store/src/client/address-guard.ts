import { lookup as resolveName } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { embeddedIpv4 } from '@candela/kernel';

/**
 * Addresses that hand out credentials of the machine or mean nothing as a server. Private ones are fine: that is where
 * databases are.
 */
const REFUSED = new BlockList();
for (const [net, prefix, family] of [
  ['0.0.0.0', 8, 'ipv4'],
  // Link-local: the metadata services of most clouds.
  ['169.254.0.0', 16, 'ipv4'],
  ['100.100.100.200', 32, 'ipv4'],
  ['168.63.129.16', 32, 'ipv4'],
  ['192.0.0.192', 32, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 128, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['fd00:ec2::254', 128, 'ipv6'],
  ['fd20:ce::254', 128, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
] as const) {
  REFUSED.addSubnet(net, prefix, family);
}

/** A connection to an address that a connector may not lead to. */
export class RefusedAddressError extends Error {
  override readonly name = 'RefusedAddressError';
}

/** Whether a connector may lead to this IP address; one that embeds an IPv4 address is judged by that too. */
export function isRefusedAddress(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, '').split('%', 1)[0] ?? '';
  const family = isIP(bare);
  if (family === 4) return REFUSED.check(bare, 'ipv4');
  return (
    family === 6 &&
    (REFUSED.check(bare, 'ipv6') || embeddedIpv4(bare).some((within) => REFUSED.check(within, 'ipv4')))
  );
}

/** Name resolution that refuses what a name may not lead to, at the moment of connecting: a name can change. */
export const guardedLookup: LookupFunction = (host, options, done) => {
  resolveName(host, options, (error, address, family) => {
    if (error === null) {
      const found = Array.isArray(address) ? address.map((one) => one.address) : [address];
      if (found.some(isRefusedAddress)) {
        done(new RefusedAddressError(`${host} leads to an address that is refused`), '', 0);
        return;
      }
    }
    done(error, address, family);
  });
};
