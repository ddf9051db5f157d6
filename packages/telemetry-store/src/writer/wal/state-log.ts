import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { errorCode, lacksRoom, syncDirectory, writeDurably } from './files.ts';

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

/** The two copies: a change is in both before it counts. */
const FILES = ['state.log', 'state.copy'] as const;

/** What the log's own records say, for when both copies are lost. */
export interface Recorded {
  readonly logId: string | undefined;
  readonly stored: number;
}

/**
 * The small durable memory of the group inserter: which group is under way and what is finished. A group is written
 * here (and synced) before its first insert, so a replay after any crash forms the same groups with the same
 * deduplication tokens. Lines of `<crc32> <json>` in two copies; a torn last line is ignored, the files are rewritten
 * as they grow. Where no copy is whole, name and progress come from the records of the log.
 */
export class StateLog {
  /** Names this log in deduplication tokens; new for a directory where nothing tells it. */
  readonly logId: string;
  readonly #dir: string;
  #handles: readonly FileHandle[] = [];
  #bytes = 0;
  #done: number;
  #plan: GroupPlan | undefined;
  /** A write failed half-way: the files are written anew before anything is added. */
  #torn = true;
  #failing = false;

  private constructor(dir: string, read: ReadState) {
    this.#dir = dir;
    this.logId = read.logId;
    this.#done = read.done;
    this.#plan = read.plan;
  }

  /**
   * Opens or creates the state of `dir`. `damage` tells how many of its copies held unreadable lines before their end, or
   * are missing where others are there. A full disk is no reason not to open: see {@link failing}.
   */
  static async open(
    dir: string,
    recorded: Recorded = { logId: undefined, stored: 0 },
  ): Promise<{ state: StateLog; damage: 'none' | 'one' | 'both' }> {
    const texts = await Promise.all(FILES.map((name) => readIfThere(join(dir, name))));
    const { read, damage } = reconcile(texts.map(parseState), recorded);
    const state = new StateLog(dir, read);
    try {
      await state.#rewrite();
    } catch (thrown) {
      if (!lacksRoom(thrown)) throw thrown;
    }
    return { state, damage };
  }

  /** True after a write that failed, as on a full disk, until one succeeds: nothing can be begun. */
  get failing(): boolean {
    return this.#failing;
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
    await Promise.all(this.#handles.map((handle) => handle.close()));
    this.#handles = [];
  }

  async #append(entry: Entry): Promise<void> {
    if (this.#torn) await this.#rewrite();
    const line = encodeLine(entry);
    await this.#change(async () => {
      await Promise.all(
        this.#handles.map(async (handle) => {
          await handle.appendFile(line);
          await handle.datasync();
        }),
      );
      this.#bytes += line.length;
    });
  }

  async #change(write: () => Promise<void>): Promise<void> {
    this.#torn = true;
    this.#failing = await write().then(
      () => false,
      (thrown: unknown) => {
        this.#failing = true;
        throw thrown;
      },
    );
    this.#torn = false;
  }

  /** One copy after the other: whatever happens, one of them is whole. */
  #rewrite(): Promise<void> {
    return this.#change(() => this.#writeAnew());
  }

  async #writeAnew(): Promise<void> {
    const text = encodeState({ logId: this.logId, done: this.#done, plan: this.#plan });
    for (const name of FILES) {
      const path = join(this.#dir, name);
      await writeDurably(`${path}.tmp`, text);
      await rename(`${path}.tmp`, path);
      await syncDirectory(this.#dir);
    }
    await this.close();
    this.#handles = await Promise.all(FILES.map((name) => open(join(this.#dir, name), 'a', 0o600)));
    this.#bytes = text.byteLength;
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

function encodeState(state: ReadState): Buffer {
  const entries: Entry[] = [{ k: 'log', id: state.logId, done: state.done }];
  if (state.plan !== undefined) {
    entries.push({ k: 'plan', from: state.plan.from, to: state.plan.to });
    for (const range of state.plan.splits) entries.push({ k: 'split', range });
  }
  return Buffer.from(entries.map(encodeLine).join(''));
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

/**
 * What the copies and the records of the log say together. A change counts once it is in both copies, so a whole one is
 * right by itself; what a damaged one still says of finished groups is true as well.
 */
function reconcile(
  copies: readonly ParsedState[],
  { logId: recordedId, stored }: Recorded,
): { read: ReadState; damage: 'none' | 'one' | 'both' } {
  const there = copies.filter((copy) => copy.there);
  const whole = there.filter((copy) => !copy.damaged);
  const best = (whole.length > 0 ? whole : there).toSorted((a, b) => progressOf(b) - progressOf(a))[0];
  const done = Math.max(0, stored, ...there.map((copy) => copy.done));
  const plan = best?.plan !== undefined && best.plan.to > done ? best.plan : undefined;
  const logId = best?.logId ?? there.find((copy) => copy.logId !== undefined)?.logId ?? recordedId;
  // Behind the records: the end of both was cut off, which looks like a line that was never finished.
  const behind = stored > Math.max(0, ...there.map((copy) => progressOf(copy)));
  const lost = behind || (there.length === 0 ? recordedId !== undefined : whole.length === 0);
  const damage = lost ? 'both' : whole.length < there.length ? 'one' : 'none';
  return { read: { logId: logId ?? randomBytes(8).toString('hex'), done, plan }, damage };
}

const progressOf = ({ done, plan }: ParsedState): number => Math.max(done, plan?.to ?? 0);

interface ParsedState {
  /** The file exists. */
  readonly there: boolean;
  readonly damaged: boolean;
  readonly logId: string | undefined;
  readonly done: number;
  readonly plan: GroupPlan | undefined;
}

function parseState(text: string | undefined): ParsedState {
  if (text === undefined) return { there: false, damaged: false, logId: undefined, done: 0, plan: undefined };
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
  // A rewrite puts a whole file in its place: one without a name was cut or emptied.
  if (logId === undefined) damaged = true;
  return { there: true, damaged, logId, done, plan };
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
