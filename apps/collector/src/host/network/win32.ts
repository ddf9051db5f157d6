import type { InterfaceReading } from './interfaces.ts';

const ROW_BYTES = 1_352;
const SOFTWARE_LOOPBACK = 24;
/** The row is a filter of the driver stack over another row: it counts the same packets. */
const FILTER = 2;

/**
 * Rows `MIB_IF_ROW2` (netioapi.h) by the names that Windows shows (`Ethernet`). Loopback and filters are left out. Packets
 * are those to one receiver and to many.
 */
export function parseIfTable(bytes: Buffer): InterfaceReading[] {
  const readings = new Map<string, InterfaceReading>();
  for (let at = 0; at + ROW_BYTES <= bytes.length; at += ROW_BYTES) {
    const row = bytes.subarray(at, at + ROW_BYTES);
    const name = row.toString('utf16le', 28, 542).split('\0', 1)[0] ?? '';
    if (name === '' || readings.has(name)) continue;
    if (row.readUInt32LE(1_128) === SOFTWARE_LOOPBACK || (row.readUInt8(1_152) & FILTER) !== 0) continue;
    const count = (offset: number): bigint => row.readBigUInt64LE(offset);
    readings.set(name, {
      name,
      receive: {
        bytes: count(1_208),
        packets: count(1_216) + count(1_224),
        dropped: count(1_232),
        errors: count(1_240),
      },
      transmit: {
        bytes: count(1_280),
        packets: count(1_288) + count(1_296),
        dropped: count(1_304),
        errors: count(1_312),
      },
    });
  }
  return [...readings.values()];
}
