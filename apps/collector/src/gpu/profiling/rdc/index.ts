import type { ProfilerSettings } from '../settings.ts';
import { kfdAddresses } from './kfd.ts';
import { loadRdc } from './native.ts';
import { RdcSession } from './session.ts';

/** @throws when the library is not there */
export function createRdc({ libraries, paths }: ProfilerSettings): RdcSession {
  const rdc = loadRdc(libraries);
  const addresses = kfdAddresses(paths.sys);
  return new RdcSession(rdc, (kfdId) => addresses.get(kfdId));
}
