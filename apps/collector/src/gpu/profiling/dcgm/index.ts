import type { ProfilerSettings } from '../settings.ts';
import { loadDcgm } from './native.ts';
import { DcgmSession } from './session.ts';

/** @throws when the library is not there */
export const createDcgm = ({ libraries, dcgm }: ProfilerSettings): DcgmSession =>
  new DcgmSession(loadDcgm(libraries), dcgm);
