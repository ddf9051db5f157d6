import { embeddedIpv4 } from '@candela/kernel';

/** True for an address of this machine's loopback: 127.0.0.0/8, ::1 and their IPv4-mapped spellings. */
export function isLoopbackAddress(address: string): boolean {
  const text = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  if (text === '::1') return true;
  const parts = text.split('.');
  return parts.length === 4 && parts[0] === '127' && parts.every((part) => /^\d{1,3}$/.test(part));
}

/** Host part of a `Host` header (`name`, `name:port`, `[::1]:port`), lower-case, or undefined when malformed. */
export function hostName(hostHeader: string): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/.exec(hostHeader.trim().toLowerCase());
  return match?.[1];
}

/** True for names that only ever mean this machine, so that no foreign DNS name can be rebound to it. */
export function isLoopbackName(name: string): boolean {
  if (name === 'localhost' || name === '[::1]') return true;
  return isLoopbackAddress(name);
}

/**
 * What counts as one sender: an IPv4 address, or the first 64 bits of an IPv6 address, of which anybody may have as
 * many as they like below that.
 */
export function networkOf(address: string): string {
  // Mapped, or through NAT64: all of the translator's prefix is one network otherwise.
  const text = /^(::ffff:|64:ff9b:)/.test(address) ? (embeddedIpv4(address)[0] ?? address) : address;
  if (!text.includes(':')) return text;
  const [head = '', tail] = text.split('::', 2);
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  while (tail !== undefined && groups.length + after.length < 8) groups.push('0');
  return [...groups, ...after].slice(0, 4).join(':');
}
