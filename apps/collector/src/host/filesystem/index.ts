import { FILESYSTEM_METRICS } from '@candela/semconv/metrics';
import {
  READY,
  type RecordPoint,
  type Source,
  type SourceContext,
  type SourceEntry,
  type Started,
  unavailable,
} from '../../source.ts';
import { hostMetricsOff } from '../off.ts';
import { parseStatfsList } from './darwin.ts';
import { LinuxFilesystems } from './linux.ts';
import { recordVolume, type Volume } from './volume.ts';
import { volumesOf } from './win32.ts';

class Filesystem implements Source {
  readonly #linux: LinuxFilesystems;

  constructor({ paths, config, log }: SourceContext) {
    this.#linux = new LinuxFilesystems(paths, config.filesystem.excludeTypes, log);
  }

  async start(): Promise<Started> {
    return this.#linux.refresh() ? READY : unavailable('the system tells of no mounts');
  }

  observe(record: RecordPoint, signal: AbortSignal): Promise<void> | void {
    if (!this.#linux.refresh()) return;
    return this.#linux.read((volume) => recordVolume(record, volume), signal);
  }

  stop(): Promise<void> {
    return this.#linux.stop();
  }
}

/** Of macOS and Windows, which answer at once: macOS with what it last knew, Windows for the disks of the machine. */
class ListedFilesystem implements Source {
  readonly #excluded: ReadonlySet<string>;
  #read: () => readonly Volume[] | undefined = () => undefined;

  constructor({ config }: SourceContext) {
    this.#excluded = new Set(config.filesystem.excludeTypes);
  }

  async start(): Promise<Started> {
    const excluded = this.#excluded;
    if (process.platform === 'darwin') {
      const { mountList } = await import('../darwin/native.ts');
      this.#read = () => {
        const bytes = mountList();
        return bytes === undefined ? undefined : parseStatfsList(bytes, excluded);
      };
    } else {
      const { fixedVolumes } = await import('../win32/native.ts');
      this.#read = () => volumesOf(fixedVolumes(), excluded);
    }
    return this.#read() === undefined ? unavailable('the system tells of no mounts') : READY;
  }

  observe(record: RecordPoint): void {
    for (const volume of this.#read() ?? []) recordVolume(record, volume);
  }

  stop(): void {}
}

export const filesystem: SourceEntry = {
  id: 'filesystem',
  summary: 'Space of the file systems',
  platforms: ['linux', 'darwin', 'win32'],
  metrics: FILESYSTEM_METRICS,
  off: hostMetricsOff,
  create: (context) =>
    process.platform === 'linux' ? new Filesystem(context) : new ListedFilesystem(context),
};
