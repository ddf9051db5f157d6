import { BlockList, isIP } from 'node:net';

/** Address of who sent a request: of the connection, or what proxies that are trusted say of it. */
export type ClientAddressOf = (peer: string, forwardedFor: string | undefined) => string;

/** Hops that are looked at; a longer list was made up. */
const MAX_HOPS = 20;

/** Says of an address whether it is one of the proxies: addresses and networks (CIDR). */
export function createProxies(trusted: readonly string[]): (address: string) => boolean {
  const proxies = new BlockList();
  for (const entry of trusted) {
    const [address = '', prefix] = entry.split('/', 2);
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    proxies.addSubnet(
      address,
      prefix === undefined ? (family === 'ipv6' ? 128 : 32) : Number(prefix),
      family,
    );
  }
  return (address) => {
    const family = isIP(address);
    return family !== 0 && proxies.check(address, family === 6 ? 'ipv6' : 'ipv4');
  };
}

/**
 * The scheme by which a client reached the first proxy, which ends TLS and says so in `X-Forwarded-Proto`. A proxy
 * behind it may add its own at the end.
 * @param forwardedProto the header, of a request that came from a trusted proxy; undefined otherwise
 */
export const schemeOf = (forwardedProto: string | undefined): 'http' | 'https' =>
  forwardedProto?.split(',', 1)[0]?.trim().toLowerCase() === 'https' ? 'https' : 'http';

/**
 * Behind a proxy every connection comes from the proxy. Each proxy adds the address that it saw at the end of
 * `X-Forwarded-For`; whatever a stranger wrote stands before that. So the list is read from its end, as long as the
 * addresses are trusted proxies: the first other one is the sender.
 * @param trusted addresses and networks (CIDR) of proxies; none: the header says nothing
 */
export function createClientAddress(trusted: readonly string[]): ClientAddressOf {
  const isProxy = createProxies(trusted);
  return (peer, forwardedFor) => {
    if (forwardedFor === undefined || !isProxy(peer)) return peer;
    let address = peer;
    for (const hop of forwardedFor.split(',').slice(-MAX_HOPS).toReversed()) {
      const next = bare(hop.trim());
      if (isIP(next) === 0) return address;
      address = next;
      if (!isProxy(address)) return address;
    }
    return address;
  };
}

/** Without the port that some proxies add. */
function bare(hop: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(hop);
  if (bracketed !== null) return bracketed[1] ?? '';
  return /^\d+(?:\.\d+){3}:\d+$/.test(hop) ? (hop.split(':', 1)[0] ?? '') : hop;
}
