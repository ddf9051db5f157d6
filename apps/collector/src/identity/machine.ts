import { hostname } from 'node:os';
import { readLine } from '../files.ts';
import type { HostPaths } from '../host-paths.ts';
import { plausibleText } from './attributes.ts';

/** `host.arch` of the semantic conventions for what Node calls the architecture. */
const ARCHITECTURES: ReadonlyMap<string, string> = new Map([
  ['x64', 'amd64'],
  ['arm64', 'arm64'],
  ['arm', 'arm32'],
  ['ia32', 'x86'],
  ['ppc64', 'ppc64'],
  ['s390x', 's390x'],
]);

export function hostArch(architecture: string): string {
  return ARCHITECTURES.get(architecture) ?? architecture;
}

/** `os.type` of the semantic conventions for what Node calls the platform. */
export function osType(platform: NodeJS.Platform): string {
  return platform === 'win32' ? 'windows' : platform;
}

/**
 * The host's own name. In a container that has the host's /etc mounted that is what stands there: the system would tell
 * the container's name, which is another with every start.
 */
export function osHostname(paths: HostPaths): string | undefined {
  const ofHost = paths.etc === '/etc' ? undefined : plausibleText(readLine(`${paths.etc}/hostname`), 255);
  return ofHost ?? plausibleText(hostname(), 255);
}
