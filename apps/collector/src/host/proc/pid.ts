import { basename, join } from 'node:path';
import { readHead, readLine, readLink, readNames, readText } from '../../files.ts';
import type { HostPaths } from '../../host-paths.ts';
import { blankUnsafe } from '../../unsafe-text.ts';
import { redactArguments } from './redact.ts';

/** `USER_HZ`: the unit of times in /proc, 100 on every architecture that Node runs on. */
export const TICKS_PER_SECOND = 100;
const MAX_STAT_BYTES = 4_096;
const MAX_STATUS_BYTES = 16_384;
const MAX_CGROUP_BYTES = 65_536;
/** Of a command line: enough for any length that is shown, whatever the length in bytes of a character. */
const MAX_CMDLINE_BYTES = 65_536;
const MAX_PROCESSES = 100_000;

/** `/proc/<pid>/stat`, as far as it is of use. */
export interface PidStat {
  readonly pid: number;
  /** First 15 bytes of the program's name; it may hold anything. */
  readonly comm: string;
  readonly state: string;
  readonly parent: number;
  readonly userTicks: number;
  readonly systemTicks: number;
  readonly threads: number;
  /** Ticks from the start of the system to that of the process: with the pid it tells a process from all others. */
  readonly startTicks: number;
  readonly virtualBytes: number;
  readonly residentPages: number;
}

const WHOLE = /^-?\d{1,20}$/;
/** Up to the resident set, counted from the state. */
const FIELDS = 22;

/** The name ends at the last `)`: it may have brackets and blanks itself. Undefined for what is cut or none. */
export function parsePidStat(text: string): PidStat | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 0 || close < open) return undefined;
  const words = text
    .slice(close + 1)
    .trim()
    .split(' ')
    .slice(0, FIELDS);
  const pid = text.slice(0, open).trim();
  const [state = '', ...rest] = words;
  if (words.length < FIELDS || !WHOLE.test(pid) || !rest.every((word) => WHOLE.test(word))) return undefined;
  const at = (index: number): number => Number(words[index]);
  return {
    pid: Number(pid),
    comm: text.slice(open + 1, close),
    state,
    parent: at(1),
    userTicks: at(11),
    systemTicks: at(12),
    threads: at(17),
    startTicks: at(19),
    virtualBytes: at(20),
    residentPages: at(21),
  };
}

export interface PidStatus {
  /** The real user. */
  readonly uid: number;
  /** Its numbers from the namespace of /proc inwards: the last is what it calls itself. */
  readonly namespacePids: readonly number[];
}

/** `/proc/<pid>/status`. A name with a line feed is shown escaped by the kernel: rows are what they seem. */
export function parsePidStatus(text: string): PidStatus | undefined {
  const uid = /^Uid:\t(\d{1,10})\t/m.exec(text)?.[1];
  if (uid === undefined) return undefined;
  const pids = /^NSpid:((?:\t\d{1,10})+)\n/m.exec(text)?.[1] ?? '';
  return {
    uid: Number(uid),
    namespacePids: pids
      .split('\t')
      .filter((word) => word !== '')
      .map(Number),
  };
}

/** At most so many characters; none is cut in two. */
export function cutCharacters(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/**
 * `/proc/<pid>/cmdline` as one line: arguments apart by blanks, without secrets and control characters, at most
 * `maxLength` characters. Undefined when it is empty: a thread of the kernel, or a process that has ended.
 */
export function parseCmdline(text: string, maxLength: number): string | undefined {
  const args = text.split('\0');
  while (args.at(-1) === '') args.pop();
  if (args.length === 0) return undefined;
  const line = blankUnsafe(redactArguments(args).join(' ')).trim();
  return line === '' ? undefined : cutCharacters(line, maxLength);
}

/** Numbers of the processes that /proc shows now. */
export function readPids(paths: HostPaths): number[] {
  return (readNames(paths.proc) ?? [])
    .filter((name) => /^[1-9]\d{0,9}$/.test(name))
    .slice(0, MAX_PROCESSES)
    .map(Number);
}

/** One process by its number. What is gone, or not for us to see, is undefined. */
export class Pid {
  readonly #folder: string;

  constructor(paths: HostPaths, pid: number) {
    this.#folder = join(paths.proc, String(pid));
  }

  stat(): PidStat | undefined {
    const text = readHead(join(this.#folder, 'stat'), MAX_STAT_BYTES);
    return text === undefined ? undefined : parsePidStat(text);
  }

  status(): PidStatus | undefined {
    const text = readHead(join(this.#folder, 'status'), MAX_STATUS_BYTES);
    return text === undefined ? undefined : parsePidStatus(text);
  }

  /** See `parseCmdline`. */
  commandLine(maxLength: number): string | undefined {
    const text = readHead(join(this.#folder, 'cmdline'), MAX_CMDLINE_BYTES);
    return text === undefined ? undefined : parseCmdline(text, maxLength);
  }

  /** Name of the program's file; of a process that is not ours its short name. */
  executableName(): string | undefined {
    const target = readLink(join(this.#folder, 'exe'))?.replace(/ \(deleted\)$/, '');
    const name = target === undefined ? readLine(join(this.#folder, 'comm'), 64) : basename(target);
    return name === undefined || name === '' ? undefined : blankUnsafe(name);
  }

  /** The text of its cgroup file. */
  cgroup(): string | undefined {
    return readText(join(this.#folder, 'cgroup'), MAX_CGROUP_BYTES);
  }
}

/** Seconds a process has run, by `/proc/uptime`: never below 0. */
export function secondsRunning(stat: Pick<PidStat, 'startTicks'>, uptimeSeconds: number): number {
  return Math.max(0, uptimeSeconds - stat.startTicks / TICKS_PER_SECOND);
}
