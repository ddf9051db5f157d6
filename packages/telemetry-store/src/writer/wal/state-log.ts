import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { errorCode, syncDirectory, writeDurably } from './files.ts';

/** A group under way: requests `from..to`, and the sub-ranges already split because the store refused them whole. */
export interface GroupPlan {
  readonly from: number;
  readonly to: number;
  /** `<table>:<from>-<to>` of every range that is never to be tried whole again. */
  readonly splits: Set<string>;
}

type Entry =
  | { readonly k: 'log'; readonly id: string; readonly done: number }
  | { readonly k: 'plan'; readonly from: number; readonly to: number }
  | { readonly k: 'split'; readonly range: string }
  | { readonly k: 'done'; readonly to: number };

const REWRITE_ABOVE_BYTES = 256 * 1024;

/**
 * The small durable memory of the group inserter: which group is under way and what is finished. A group is written
 * here (and synced) before its first insert, so a replay after any crash forms the same groups with the same
 * deduplication tokens. Lines of `<crc32> <json>`; a torn last line is ignored, the file is rewritten as it grows.
 */
export class StateLog {
  /** Names this log in deduplication tokens; new for a directory without a readable state. */
  readonly logId: string;
  readonly #path: string;
  readonly #dir: string;
  #handle: FileHandle;
  #bytes: number;
  #done: number;
  #plan: GroupPlan | undefined;
  /** A write failed half-way: the file is written anew before anything is added. */
  #torn = false;

  private constructor(dir: string, path: string, handle: FileHandle, bytes: number, read: ReadState) {
    this.#dir = dir;
    this.#path = path;
    this.#handle = handle;
    this.#bytes = bytes;
    this.logId = read.logId;
    this.#done = read.done;
    this.#plan = read.plan;
  }

  /** Opens or creates the state of `dir`. `damaged` tells that an existing file held unreadable lines before its end. */
  static async open(dir: string): Promise<{ state: StateLog; damaged: boolean }> {
    const path = join(dir, 'state.log');
    let text = '';
    try {
      text = await readFile(path, 'utf8');
    } catch (thrown) {
      if (errorCode(thrown) !== 'ENOENT') throw thrown;
    }
    const read = parseState(text);
    const bytes = await rewrite(dir, path, read);
    const handle = await open(path, 'a', 0o600);
    return { state: new StateLog(dir, path, handle, bytes, read), damaged: read.damaged };
  }

  /** Everything with a sequence up to here is in the store. */
  get done(): number {
    return this.#done;
  }

  /** The group that was under way, or undefined. */
  get plan(): GroupPlan | undefined {
    return this.#plan;
  }

  /** Durably begins the group `from..to`. */
  async begin(from: number, to: number): Promise<GroupPlan> {
    await this.#append({ k: 'plan', from, to });
    this.#plan = { from, to, splits: new Set() };
    return this.#plan;
  }

  /** Durably remembers that a range of the group is split. */
  async split(range: string): Promise<void> {
    await this.#append({ k: 'split', range });
    this.#plan?.splits.add(range);
  }

  /**
   * The group is in the store. Synced at once, although a store that still knows the token would drop a repetition:
   * what it knows of tokens need not survive a power loss that its rows survive.
   */
  async finish(): Promise<void> {
    if (this.#plan === undefined) return;
    const { to } = this.#plan;
    await this.#append({ k: 'done', to });
    this.#done = to;
    this.#plan = undefined;
    if (this.#bytes > REWRITE_ABOVE_BYTES) await this.#rewrite();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #append(entry: Entry): Promise<void> {
    if (this.#torn) await this.#rewrite();
    const line = encodeLine(entry);
    this.#torn = true;
    await this.#handle.appendFile(line);
    await this.#handle.datasync();
    this.#torn = false;
    this.#bytes += line.length;
  }

  async #rewrite(): Promise<void> {
    const bytes = await rewrite(this.#dir, this.#path, {
      logId: this.logId,
      done: this.#done,
      plan: this.#plan,
    });
    await this.#handle.close();
    this.#handle = await open(this.#path, 'a', 0o600);
    this.#bytes = bytes;
    this.#torn = false;
  }
}

interface ReadState {
  readonly logId: string;
  readonly done: number;
  readonly plan: GroupPlan | undefined;
}

function encodeLine(entry: Entry): string {
  const json = JSON.stringify(entry);
  return `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`;
}

async function rewrite(dir: string, path: string, state: ReadState): Promise<number> {
  const entries: Entry[] = [{ k: 'log', id: state.logId, done: state.done }];
  if (state.plan !== undefined) {
    entries.push({ k: 'plan', from: state.plan.from, to: state.plan.to });
    for (const range of state.plan.splits) entries.push({ k: 'split', range });
  }
  const text = Buffer.from(entries.map(encodeLine).join(''));
  await writeDurably(`${path}.tmp`, text);
  await rename(`${path}.tmp`, path);
  await syncDirectory(dir);
  return text.byteLength;
}

function parseState(text: string): ReadState & { damaged: boolean } {
  let logId: string | undefined;
  let done = 0;
  let plan: GroupPlan | undefined;
  let damaged = false;
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    if (line === '') continue;
    const entry = parseLine(line);
    if (entry === undefined) {
      // The very last line may be torn by a crash: nothing relied on it yet.
      if (index < lines.length - 1) damaged = true;
      continue;
    }
    if (entry.k === 'log') {
      logId = entry.id;
      done = entry.done;
    } else if (entry.k === 'plan') {
      // Groups follow one another: a new one says that the one before is finished.
      if (plan !== undefined) done = Math.max(done, plan.to);
      plan = { from: entry.from, to: entry.to, splits: new Set() };
    } else if (entry.k === 'split') {
      plan?.splits.add(entry.range);
    } else {
      done = Math.max(done, entry.to);
      if (plan !== undefined && plan.to <= entry.to) plan = undefined;
    }
  }
  if (logId === undefined && text !== '') damaged = true;
  return { logId: logId ?? randomBytes(8).toString('hex'), done, plan, damaged };
}

function parseLine(line: string): Entry | undefined {
  const json = line.slice(9);
  if (line[8] !== ' ' || crc32(json).toString(16).padStart(8, '0') !== line.slice(0, 8)) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return isEntry(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null || !('k' in value)) return false;
  const has = (key: string, type: 'string' | 'number'): boolean => typeof Reflect.get(value, key) === type;
  switch (value.k) {
    case 'log':
      return has('id', 'string') && has('done', 'number');
    case 'plan':
      return has('from', 'number') && has('to', 'number');
    case 'split':
      return has('range', 'string');
    case 'done':
      return has('to', 'number');
    default:
      return false;
  }
}
