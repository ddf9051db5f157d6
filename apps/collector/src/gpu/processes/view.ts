import { join } from 'node:path';
import { readLink, readNames } from '../../files.ts';
import type { HostPaths } from '../../host-paths.ts';

/** The first namespace of process numbers, which has the same number on every Linux (PROC_PID_INIT_INO). */
const FIRST_NAMESPACE = 'pid:[4026531836]';
const MAX_DESCRIPTORS = 4_096;
const GPU_FILE = /^\/dev\/(nvidia|dri\/|kfd$|dxg$)/;

/**
 * Whether the numbers in this /proc are those of the host, by which drivers call processes. True as well when it cannot
 * be told: most agents that may not look run on the host itself.
 */
export function isHostPidView(paths: HostPaths, linkOf: (path: string) => string | undefined): boolean {
  const namespace =
    linkOf(join(paths.proc, '1', 'ns', 'pid')) ??
    (paths.proc === '/proc' ? linkOf('/proc/self/ns/pid') : undefined);
  return namespace === undefined || namespace === FIRST_NAMESPACE;
}

/** Whether a process has a file of a GPU open. False where we may not look. */
export function holdsGpu(paths: HostPaths, pid: number): boolean {
  const folder = join(paths.proc, String(pid), 'fd');
  return (readNames(folder, MAX_DESCRIPTORS) ?? []).some((name) =>
    GPU_FILE.test(readLink(join(folder, name)) ?? ''),
  );
}
