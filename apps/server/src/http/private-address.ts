import { lookup as resolveName } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { embeddedIpv4 } from '@candela/kernel';
import { isRefusedAddress, RefusedAddressError } from '@candela/telemetry-store';

/** This machine and networks that are nobody else's: RFC 1918, 6598, 4193 and loopback. */
const PRIVATE = new BlockList();
for (const [net, prefix, family] of [
  ['10.0.0.0', 8, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['::1', 128, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
] as const) {
  PRIVATE.addSubnet(net, prefix, family);
}

/** Whether an address in digits is private, or one that is refused everywhere; names are judged when they are resolved. */
export function isPrivateAddress(address: string): boolean {
  if (isRefusedAddress(address)) return true;
  const bare = address.replace(/^\[|\]$/g, '').split('%', 1)[0] ?? '';
  const family = isIP(bare);
  if (family === 4) return PRIVATE.check(bare, 'ipv4');
  return (
    family === 6 &&
    (PRIVATE.check(bare, 'ipv6') || embeddedIpv4(bare).some((within) => PRIVATE.check(within, 'ipv4')))
  );
}

/** Name resolution that refuses private addresses, at the moment of connecting: a name can change. */
export const publicLookup: LookupFunction = (host, options, done) => {
  resolveName(host, options, (error, address, family) => {
    if (error === null) {
      const found = Array.isArray(address) ? address.map((one) => one.address) : [address];
      if (found.some(isPrivateAddress)) {
        done(new RefusedAddressError(`${host} leads to an address that is refused`), '', 0);
        return;
      }
    }
    done(error, address, family);
  });
};
