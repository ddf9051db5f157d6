import type { InterfaceReading } from './interfaces.ts';

const RTM_IFINFO2 = 0x12;
const AF_LINK = 18;
/** Where `struct if_msghdr2` (net/if_var.h) has the counts of `if_data64`, and its end, where a `sockaddr_dl` follows. */
const DATA = 32;
const ADDRESS = 160;
/** In `sockaddr_dl`: family, length of the name, and the name. */
const FAMILY = 1;
const NAME_LENGTH = 5;
const NAME = 8;
const MIN_MESSAGE = 4;

/** Messages of the routing interface; those that are not about the counts of an interface are passed over. */
export function parseInterfaceList(bytes: Buffer): InterfaceReading[] {
  const readings = new Map<string, InterfaceReading>();
  let at = 0;
  while (at + MIN_MESSAGE <= bytes.length) {
    const length = bytes.readUInt16LE(at);
    if (length < MIN_MESSAGE || at + length > bytes.length) break;
    const message = bytes.subarray(at, at + length);
    at += length;
    if (message[3] !== RTM_IFINFO2 || message.length < ADDRESS + NAME) continue;
    const end = ADDRESS + NAME + (message[ADDRESS + NAME_LENGTH] ?? 0);
    if (message[ADDRESS + FAMILY] !== AF_LINK || end > message.length) continue;
    const name = message.toString('utf8', ADDRESS + NAME, end);
    if (name === '' || readings.has(name)) continue;
    const count = (offset: number): bigint => message.readBigUInt64LE(DATA + offset);
    readings.set(name, {
      name,
      receive: { packets: count(24), errors: count(32), bytes: count(64), dropped: count(96) },
      // macOS counts no packets dropped on the way out here.
      transmit: { packets: count(40), errors: count(48), bytes: count(72) },
    });
  }
  return [...readings.values()];
}
