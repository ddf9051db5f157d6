import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readlinkSync, realpathSync, unlinkSync } from 'node:fs';
import { resolve } from 'node:path';
import { readNames } from '../../files.ts';
import { ControlError } from '../contract.ts';

/** Traces that may lie in the directory: whoever asks for many does not fill the disk. */
export const MAX_KEPT = 64;
const NAME = /^intel_pt_\d+_[0-9a-f]{8}\.perf\.data$/;

/** An empty file for one trace, readable by its owner alone, that no other path was followed to. */
export class TraceFile {
  readonly path: string;
  readonly descriptor: number;
  readonly #directory: number;
  readonly #name: string;

  private constructor(directory: number, place: string, name: string) {
    this.#directory = directory;
    this.#name = name;
    this.path = `${place}/${name}`;
    const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants;
    this.descriptor = openSync(this.#reached(), O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR, 0o600);
  }

  /**
   * Makes the file in `wanted`, which is `base` or below it. The directory is opened and then asked where it is: only when
   * it is where its path says was no link followed, and what is made is made there, whatever is laid meanwhile.
   * @throws ControlError 400, 409, 500
   */
  static create(base: string, wanted: string | undefined): TraceFile {
    const outside = () =>
      new ControlError(400, '"output_dir" is not the directory for traces, nor below it.');
    const { O_DIRECTORY, O_RDONLY } = constants;
    let directory: number | undefined;
    try {
      // What the operator named may be a link.
      const root = realpathSync(base);
      const asked = resolve(base, wanted ?? '.');
      const place = below(resolve(base), asked, root) ?? below(root, asked, root);
      if (place === undefined) throw outside();
      directory = openSync(place, O_DIRECTORY | O_RDONLY);
      if (readlinkSync(`/proc/self/fd/${directory}`) !== place) throw outside();
      const kept = (readNames(place) ?? []).filter((name) => NAME.test(name)).length;
      if (kept >= MAX_KEPT) {
        throw new ControlError(409, `${place} holds ${kept} traces already: remove some of them.`);
      }
      const name = `intel_pt_${BigInt(Date.now()) * 1_000_000n}_${randomBytes(4).toString('hex')}.perf.data`;
      return new TraceFile(directory, place, name);
    } catch (thrown) {
      if (directory !== undefined) closeSync(directory);
      if (thrown instanceof ControlError) throw thrown;
      const code = (thrown as NodeJS.ErrnoException).code ?? 'unknown';
      if (wanted !== undefined && ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(code)) {
        throw new ControlError(400, `"output_dir" is no directory that can be written into (${code}).`, {
          cause: thrown,
        });
      }
      throw new ControlError(500, `The directory for traces cannot be written into (${code}).`, {
        cause: thrown,
      });
    }
  }

  get size(): number {
    return fstatSync(this.descriptor).size;
  }

  /** Lets go of the file, and of what is in it unless the trace is whole. */
  close(keep: boolean): void {
    try {
      if (!keep) unlinkSync(this.#reached());
    } finally {
      closeSync(this.descriptor);
      closeSync(this.#directory);
    }
  }

  #reached(): string {
    return `/proc/self/fd/${this.#directory}/${this.#name}`;
  }
}

/** `path`, which is `directory` or below it, as it is below `root`; undefined when it is elsewhere. */
function below(directory: string, path: string, root: string): string | undefined {
  if (path === directory) return root;
  const inside = directory === '/' ? '/' : `${directory}/`;
  return path.startsWith(inside) ? resolve(root, path.slice(inside.length)) : undefined;
}
