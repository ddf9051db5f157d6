import { join } from 'node:path';
import { readText } from '../../files.ts';
import type { HostPaths } from '../../host-paths.ts';
import type { InterfaceReading } from './interfaces.ts';

const MAX_BYTES = 4 * 1_048_576;
const COLUMNS = 16;
const WHOLE = /^\d{1,20}$/;

/**
 * The interfaces of `/proc/net/dev`: eight columns received, eight transmitted, of which the first four are bytes,
 * packets, errors and dropped. Two lines of headings come first. A cut line is left out, and so is a name told twice.
 */
export function parseNetDev(text: string): InterfaceReading[] {
  const readings = new Map<string, InterfaceReading>();
  const lines = text.split('\n');
  lines.pop();
  for (const line of lines.slice(2)) {
    // No name has a colon; the last one counts all the same, since no number has one either.
    const colon = line.lastIndexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim();
    const fields = line
      .slice(colon + 1)
      .trim()
      .split(/ +/);
    if (name === '' || readings.has(name)) continue;
    if (fields.length < COLUMNS || !fields.every((field) => WHOLE.test(field))) continue;
    const traffic = (from: number) => ({
      bytes: BigInt(fields[from] ?? 0),
      packets: BigInt(fields[from + 1] ?? 0),
      errors: BigInt(fields[from + 2] ?? 0),
      dropped: BigInt(fields[from + 3] ?? 0),
    });
    readings.set(name, { name, receive: traffic(0), transmit: traffic(8) });
  }
  return [...readings.values()];
}

/** Of the host: its first process is in its network, whatever network this process is in. */
export function readLinuxInterfaces(paths: HostPaths): InterfaceReading[] | undefined {
  const text =
    readText(join(paths.proc, '1', 'net', 'dev'), MAX_BYTES) ??
    readText(join(paths.proc, 'net', 'dev'), MAX_BYTES);
  return text === undefined ? undefined : parseNetDev(text);
}
