import { isNotThereCode } from './files.ts';
import type { Log } from './log.ts';
import { PatientThread } from './patient-thread.ts';

/** A file of /sys holds at most a page. */
const MAX_BYTES = 4_096;

/** Answers a list of paths with as many texts, or `[code]` of the error. A pipe in the place of a file is not waited for. */
const PROGRAM = `
const { parentPort } = require('node:worker_threads');
const { closeSync, constants, openSync, readSync } = require('node:fs');
const bytes = Buffer.alloc(${MAX_BYTES});
const read = (path) => {
  let descriptor;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, ${MAX_BYTES}, 0));
  } catch (thrown) {
    return [String(thrown && thrown.code)];
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
};
parentPort.on('message', (paths) => parentPort.postMessage(paths.map(read)));
`;

type Read = string | readonly [code: string];

/** The files of one device as they were read: by path, without the blanks around them. */
export class DeviceFiles {
  readonly #texts: ReadonlyMap<string, Read>;

  constructor(texts: ReadonlyMap<string, Read>) {
    this.#texts = texts;
  }

  /** A line; undefined when it is not there or empty. @throws what the driver said (EIO) */
  line(path: string): string | undefined {
    const read = this.#texts.get(path);
    if (read === undefined) throw new Error(`${path} was not asked for`);
    if (typeof read === 'string') {
      const text = read.trim();
      return text === '' ? undefined : text;
    }
    const [code] = read;
    if (isNotThereCode(code)) return undefined;
    throw new Error(`${code} while reading ${path}`);
  }

  /** A decimal number; undefined when it is not there or anything else. */
  number(path: string): number | undefined {
    const text = this.line(path);
    return text !== undefined && /^-?\d{1,60}(\.\d{1,60})?$/.test(text) ? Number(text) : undefined;
  }

  /** A whole number up to 2^64; undefined when it is not there or says anything else (`N/A (no PMA)`). */
  count(path: string): bigint | undefined {
    const text = this.line(path);
    return text !== undefined && /^\d{1,20}$/.test(text) ? BigInt(text) : undefined;
  }
}

/**
 * Reads files of /sys that a driver answers. It may ask the firmware of its card for them, and wait for ever: then that
 * card is left out, and neither the tick nor the other cards wait with it.
 */
export class DriverFiles {
  readonly #thread: PatientThread<readonly string[], readonly Read[]>;

  /** `what` is read: it names the thread and stands in the log. */
  constructor(what: string, log: Log) {
    this.#thread = new PatientThread({ name: what, source: PROGRAM }, (device, hangs, noneLeft) => {
      if (hangs) log.warn(`a ${what} does not answer and is left out until it does`, { device });
      else log.info(`a ${what} answers again`, { device });
      if (noneLeft) log.warn(`too many do not answer: no ${what} is read until one does again`);
    });
  }

  /** All at once; undefined when the device hangs. Calls follow one another. */
  async read(device: string, paths: readonly string[]): Promise<DeviceFiles | undefined> {
    const texts = await this.#thread.ask(paths, device);
    if (texts === undefined) return undefined;
    return new DeviceFiles(new Map(paths.map((path, at) => [path, texts[at] ?? ['ENOENT']])));
  }

  async stop(): Promise<void> {
    await this.#thread.stop();
  }
}
