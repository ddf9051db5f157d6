/**
 * The 16 bytes of an IPv6 address in any spelling (zone and brackets are left out); undefined for what is none.
 */
function ipv6Bytes(text: string): Uint8Array | undefined {
  const bare = text.replace(/^\[|\]$/g, '').split('%', 1)[0] ?? '';
  if (!bare.includes(':') || !URL.canParse(`http://[${bare}]`)) return undefined;
  // The URL parser writes eight groups, one run of zeros left out, without dots.
  const [head = '', tail] = new URL(`http://[${bare}]`).hostname.slice(1, -1).split('::', 2);
  const groupsOf = (part: string | undefined) => (part === undefined || part === '' ? [] : part.split(':'));
  const [before, after] = [groupsOf(head), groupsOf(tail)];
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  return Uint8Array.from(
    groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]),
  );
}

/** Prefixes whose addresses carry an IPv4 address: where it begins, and the prefix in bytes. */
const EMBEDDING: readonly {
  readonly prefix: readonly number[];
  readonly at: number;
  readonly flip?: true;
}[] = [
  // IPv4-mapped (RFC 4291), IPv4-translated (RFC 2765), IPv4-compatible (RFC 4291, deprecated).
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255], at: 12 },
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0], at: 12 },
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], at: 12 },
  // NAT64: the well-known prefix (RFC 6052) and the local one with a prefix of 96 bits (RFC 8215).
  { prefix: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], at: 12 },
  { prefix: [0, 0x64, 0xff, 0x9b, 0, 1], at: 12 },
  // 6to4 (RFC 3056); Teredo (RFC 4380): the server, and the client with its bits flipped.
  { prefix: [0x20, 0x02], at: 2 },
  { prefix: [0x20, 0x01, 0, 0], at: 4 },
  { prefix: [0x20, 0x01, 0, 0], at: 12, flip: true },
];

/** Interface identifiers of ISATAP (RFC 5214), whatever the prefix before them. */
const ISATAP = [
  [0, 0, 0x5e, 0xfe],
  [2, 0, 0x5e, 0xfe],
];

/**
 * IPv4 addresses, as dotted text, that an IPv6 address embeds: whoever judges addresses judges these too, because a
 * translator or a tunnel leads there. Empty for IPv4, for names and for IPv6 without one. `::` and `::1` embed none.
 */
export function embeddedIpv4(address: string): string[] {
  const bytes = ipv6Bytes(address);
  if (bytes === undefined) return [];
  const begins = (part: readonly number[], at: number) => part.every((byte, i) => bytes[at + i] === byte);
  const dotted = (at: number, mask: number) => [...bytes.subarray(at, at + 4)].map((b) => b ^ mask).join('.');
  const found = EMBEDDING.filter(({ prefix }) => begins(prefix, 0)).map(({ at, flip }) =>
    dotted(at, flip === true ? 255 : 0),
  );
  if (ISATAP.some((id) => begins(id, 8))) found.push(dotted(12, 0));
  return begins([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 0) && (bytes[15] ?? 0) <= 1 ? [] : found;
}
