import { fail } from '@candela/kernel';
import type { NativeParts } from '../../client/types.ts';
import type { GroupSink } from '../group-insert/inserter.ts';

/** A block the sink refuses as ClickHouse would: permanent, with a numeric code. */
export const POISON = Buffer.from('poison');

/**
 * Stands where the store stands and keeps its promise: a token is stored once. Can be taken away, made slow, or told
 * to die while it stores. For tests of the log alone; whole-process tests use the real store.
 */
export class RecordingSink implements GroupSink {
  readonly tokens: string[] = [];
  readonly stored: Map<string, { table: string; parts: Buffer[] }>;
  restarts = 0;
  /** A store that has learnt to take what it refused before, as after an upgrade. */
  takesPoison = false;
  /** 33: cannot read all data. */
  poisonCode = 33;
  state = 'ready';
  attempts = 0;
  /** Runs before a group is stored; may throw or wait. */
  before: (table: string, parts: readonly Uint8Array[], token: string) => void | Promise<void> = () => {};
  /** Runs after a group is stored; a throw here is an answer that got lost. */
  after: (table: string) => void | Promise<void> = () => {};

  /** The process that uses this sink is as good as dead: nothing gets through any more. */
  frozen = false;

  constructor(stored = new Map<string, { table: string; parts: Buffer[] }>()) {
    this.stored = stored;
  }

  /** The same store as the next process meets it. */
  successor(): RecordingSink {
    this.frozen = true;
    return new RecordingSink(this.stored);
  }

  async insertNative(table: string, given: NativeParts, token: string): Promise<void> {
    this.attempts += 1;
    if (this.frozen) await new Promise(() => {});
    if (this.state !== 'ready') throw fail('store_unavailable', { seconds: 1 });
    const parts: Buffer[] = [];
    for await (const part of given) parts.push(Buffer.from(part));
    await this.before(table, parts, token);
    if (this.frozen) await new Promise(() => {});
    if (!this.takesPoison && parts.some((part) => POISON.equals(part))) {
      throw Object.assign(new Error('Cannot read all data'), { engineCode: this.poisonCode });
    }
    this.tokens.push(token);
    if (!this.stored.has(token)) this.stored.set(token, { table, parts });
    await this.after(table);
  }

  health(): { state: string; restarts: number } {
    return { state: this.state, restarts: this.restarts };
  }

  /** The stored blocks of a table as text, in order. */
  texts(table = 'otel_traces'): string[] {
    return [...this.stored.values()]
      .filter((group) => group.table === table)
      .flatMap((group) => group.parts.map((part) => part.toString()));
  }
}
