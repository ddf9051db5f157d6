import { type HostPaths, inRoot } from '../../host-paths.ts';

const NAME = 'libnvidia-ml.so.1';
/** Where drivers put it: Debian and its kin, Red Hat and its kin, containers with the driver (GPU operator, GKE), WSL. */
const FOLDERS: readonly string[] = [
  `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`,
  '/usr/lib64',
  '/usr/lib',
  `/run/nvidia/driver/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`,
  '/run/nvidia/driver/usr/lib64',
  '/home/kubernetes/bin/nvidia/lib64',
  '/usr/lib/wsl/lib',
];
/** The place of today, that of older drivers, and wherever the system looks. From the headers' documents, not yet run. */
const WINDOWS: readonly string[] = [
  'C:\\Windows\\System32\\nvml.dll',
  'C:\\Program Files\\NVIDIA Corporation\\NVSMI\\nvml.dll',
  'nvml.dll',
];

/**
 * Files to try for NVML, in order: what the loader of the system finds, then the usual folders, here and in the host's file
 * system where the agent sees it, so that a container without NVIDIA's toolkit can do.
 */
export function libraryPaths(
  paths: Pick<HostPaths, 'root'>,
  platform: NodeJS.Platform = process.platform,
): string[] {
  if (platform === 'win32') return [...WINDOWS];
  const full = FOLDERS.map((folder) => `${folder}/${NAME}`);
  const host = full.map((path) =>
    paths.root === '/' ? path : inRoot({ ...NOWHERE, root: paths.root }, path),
  );
  return [...new Set([NAME, ...full, ...host])];
}

const NOWHERE: HostPaths = { proc: '', sys: '', etc: '', root: '/' };
