import { readdirSync, readFileSync } from 'node:fs';
import { descendants } from '@candela/testkit';

const TICKS_PER_SECOND = 100;

/** CPU seconds (user and system) that a process and its threads have used. 0 when it is gone. */
export function cpuSeconds(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

export interface Memory {
  /** Resident bytes; shared pages count in every process that maps them. */
  readonly rss: number;
  /** Proportional share: shared pages are divided among those who map them. */
  readonly pss: number;
  /** Heap and stacks: what is in no file, so that the kernel cannot drop it and read it again. */
  readonly anonymous: number;
}

export function memory(pid: number): Memory {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);
    return { rss: kib('Rss') * 1024, pss: kib('Pss') * 1024, anonymous: kib('Anonymous') * 1024 };
  } catch {
    return { rss: 0, pss: 0, anonymous: 0 };
  }
}

/** Open file descriptors. */
export function openFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** Threads of a process. */
export function threads(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).length;
  } catch {
    return 0;
  }
}

const nameOf = (command: string): string =>
  command.includes('engine-host')
    ? 'engine host'
    : command.includes('collector/src')
      ? 'collector'
      : 'helper';

/** The platform's processes: the server first, then everything below it. */
export function family(pid: number): { pid: number; name: string }[] {
  return [
    { pid, name: 'server' },
    ...descendants(pid).map((child) => ({ pid: child.pid, name: nameOf(child.command) })),
  ];
}
