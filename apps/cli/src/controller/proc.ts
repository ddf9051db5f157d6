import { closeSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { join } from 'node:path';

const MAX_FILE = 8 * 1_048_576;

/** The beginning of a file of /proc; undefined when it is gone or not for us. */
export function readProc(path: string, most = MAX_FILE): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    const parts: Buffer[] = [];
    let size = 0;
    for (;;) {
      const part = Buffer.alloc(65_536);
      const read = readSync(descriptor, part);
      if (read === 0 || size >= most) break;
      parts.push(part.subarray(0, read));
      size += read;
    }
    return Buffer.concat(parts).toString('utf8');
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

export const linkOf = (path: string): string | undefined => {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
};

export interface Connection {
  readonly address: string;
  readonly port: number;
  readonly inode: string;
}

/** An address as /proc/net/tcp writes it: words of four bytes, each the wrong way round. */
function addressOf(hex: string): string {
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) =>
    (word.match(/../g) ?? []).reverse().map((one) => Number.parseInt(one, 16)),
  );
  if (bytes.length === 4) return bytes.join('.');
  const mapped = bytes.slice(0, 10).every((one) => one === 0) && bytes[10] === 255 && bytes[11] === 255;
  if (mapped) return bytes.slice(12).join('.');
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16),
  );
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

/** Established connections of a table of /proc/net/tcp or tcp6: the far end and the inode of the socket. */
export function parseConnections(text: string): Connection[] {
  const found: Connection[] = [];
  for (const line of text.split('\n').slice(1, 50_000)) {
    const [, , remote = '', state = '', , , , , , inode = ''] = line.trim().split(/\s+/);
    const [hex = '', port = ''] = remote.split(':');
    if (state !== '01' || inode === '0' || inode === '') continue;
    found.push({ address: addressOf(hex), port: Number.parseInt(port, 16), inode });
  }
  return found;
}

/** Where a process belongs, from its control group: a unit of systemd, a container, a pod. */
export function parseCgroup(text: string): { unit?: string; container?: string; pod?: string } {
  const path = text
    .split('\n')
    .map((line) => line.split(':').slice(2).join(':'))
    .join('\n');
  const container = /[-/]([0-9a-f]{64})(?:\.scope)?(?:\/|$)/m.exec(path)?.[1];
  const pod = /pod([0-9a-f]{8}[-_][0-9a-f_-]{27})/m.exec(path)?.[1]?.replaceAll('_', '-');
  const unit = /\/([^/\n]+\.service)(?:\/|$)/m.exec(path)?.[1];
  return {
    ...(unit === undefined || container !== undefined ? {} : { unit }),
    ...(container === undefined ? {} : { container }),
    ...(pod === undefined ? {} : { pod }),
  };
}

/** Number of the clock tick at which the process began: with its number it names the process. */
export function startOf(proc: string, pid: number): number | undefined {
  const stat = readProc(join(proc, String(pid), 'stat'), 4_096);
  const after = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(after?.[19]);
  return Number.isFinite(ticks) ? ticks : undefined;
}

export const pidsOf = (proc: string): number[] =>
  readdirSync(proc)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** Inodes of the sockets that a process has open; empty when that is not for us to see. */
export function socketsOf(proc: string, pid: number): Set<string> {
  const folder = join(proc, String(pid), 'fd');
  const found = new Set<string>();
  try {
    for (const name of readdirSync(folder).slice(0, 20_000)) {
      const inode = /^socket:\[(\d+)\]$/.exec(linkOf(join(folder, name)) ?? '')?.[1];
      if (inode !== undefined) found.add(inode);
    }
  } catch {
    // It has ended, or is not ours.
  }
  return found;
}

export type Runtime =
  | 'python'
  | 'node'
  | 'java'
  | 'dotnet'
  | 'go'
  | 'bun'
  | 'deno'
  | 'ruby'
  | 'php'
  | 'other';
const NAMES: readonly (readonly [RegExp, Runtime])[] = [
  [/^python[\d.]*$/, 'python'],
  [/^(?:node|nodejs)$/, 'node'],
  [/^java$/, 'java'],
  [/^dotnet$/, 'dotnet'],
  [/^(?:bun|claude|opencode)$/, 'bun'],
  [/^deno$/, 'deno'],
  [/^ruby[\d.]*$/, 'ruby'],
  [/^php[\d.-]*(?:fpm)?[\d.]*$/, 'php'],
];

/** What runs a program, by its executable; Go by what its linker leaves. */
export function runtimeOf(exe: string, head: () => string | undefined): Runtime {
  const name = exe.slice(exe.lastIndexOf('/') + 1);
  const known = NAMES.find(([pattern]) => pattern.test(name));
  if (known !== undefined) return known[1];
  return head()?.includes('\u{ff} Go buildinf:') === true ? 'go' : 'other';
}

/** The first bytes of an executable, where Go leaves its mark. */
export function headOf(path: string): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    const bytes = Buffer.alloc(8_192);
    // The table of sections names it too, at the end of the file.
    readSync(descriptor, bytes);
    const text = bytes.toString('latin1');
    return text.includes('Go build ID') ? '\u{ff} Go buildinf:' : text;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
