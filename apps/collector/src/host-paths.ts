/**
 * Where the host's file systems are seen from here: `/proc` and so on, or what `HOST_PROC`, `HOST_SYS`, `HOST_ETC` and
 * `HOST_ROOT` name in a container that has the host's mounted. Absolute, without a slash at the end (`root` is `/`).
 */
export interface HostPaths {
  readonly proc: string;
  readonly sys: string;
  readonly etc: string;
  /** Where the host's `/` is mounted; a mount point of the host is read at `inRoot(paths, mountPoint)`. */
  readonly root: string;
}

/** A path as the host knows it, as it is reached from here. */
export function inRoot(paths: HostPaths, hostPath: string): string {
  if (paths.root === '/') return hostPath;
  return hostPath === '/' ? paths.root : `${paths.root}${hostPath.startsWith('/') ? '' : '/'}${hostPath}`;
}
