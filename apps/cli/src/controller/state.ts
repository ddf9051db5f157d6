import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { CandelaError } from '@candela/kernel';

export interface Credential {
  readonly url: string;
  /** Where OTLP goes. */
  readonly otlp: string;
  readonly apiKey: string;
  readonly signingKey: string;
  readonly instance: string;
  readonly cluster: string;
}
export interface Wish {
  readonly content: boolean;
}
export interface Result {
  readonly action_id: string;
  readonly status: 'completed' | 'failed';
  readonly error?: string;
  readonly snapshot?: string;
}
interface Kept {
  readonly wishes: Readonly<Record<string, Wish>>;
  readonly results: readonly Result[];
  /** Actions that have ended, the newest last, so that none is done twice. */
  readonly done: readonly string[];
}

const MAX_DONE = 2_000;
const NONE: Kept = { wishes: {}, results: [], done: [] };

/** Writes a file whole or not at all, readable for its owner alone. */
export function writeWhole(path: string, text: string): void {
  const temporary = `${path}.new`;
  const descriptor = openSync(temporary, 'w', 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, path);
}

/** What the controller must not forget, in a folder of its own. */
export class ControllerState {
  readonly folder: string;
  readonly wishes: Map<string, Wish>;
  #results: Result[];
  #done: string[];

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const kept = this.#read<Kept>('state.json') ?? NONE;
    this.wishes = new Map(Object.entries(kept.wishes));
    this.#results = [...kept.results];
    this.#done = [...kept.done];
  }

  #read<T>(name: string): T | undefined {
    const path = join(this.folder, name);
    try {
      // Written by this class and nobody else.
      return JSON.parse(readFileSync(path, 'utf8')) as T;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new CandelaError('refused', `${path} cannot be read. Move it away to begin anew.`);
    }
  }

  #write(): void {
    const kept: Kept = { wishes: Object.fromEntries(this.wishes), results: this.#results, done: this.#done };
    writeWhole(join(this.folder, 'state.json'), JSON.stringify(kept));
  }

  get credential(): Credential | undefined {
    return this.#read<Credential>('credential.json');
  }
  keepCredential(credential: Credential): void {
    writeWhole(join(this.folder, 'credential.json'), JSON.stringify(credential));
  }

  get results(): readonly Result[] {
    return this.#results;
  }
  isDone(id: string): boolean {
    return this.#done.includes(id);
  }
  /** The wish and the result of an action in one write: after a crash there are both or neither. */
  finish(result: Result, change?: (wishes: Map<string, Wish>) => void): void {
    change?.(this.wishes);
    this.#results = [...this.#results.filter((one) => one.action_id !== result.action_id), result];
    this.#done = [...this.#done, result.action_id].slice(-MAX_DONE);
    this.#write();
  }
  forget(ids: readonly string[]): void {
    if (ids.length === 0) return;
    this.#results = this.#results.filter((one) => !ids.includes(one.action_id));
    this.#write();
  }
}
