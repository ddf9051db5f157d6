import type { HostPaths } from '../../host-paths.ts';
import type { DcgmSettings } from './dcgm/session.ts';

/** What the thread of a profiling library is started with: it crosses by structured clone. */
export interface ProfilerSettings {
  readonly paths: HostPaths;
  /** Where the library is looked for, the first that is there counts. */
  readonly libraries: readonly string[];
  readonly dcgm: DcgmSettings;
}
