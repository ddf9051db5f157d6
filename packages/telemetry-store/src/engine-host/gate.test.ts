import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ConcurrencyGate } from './gate.ts';

/** Tasks that run until told to end, by their names. */
class Tasks {
  readonly started: string[] = [];
  readonly refused: string[] = [];
  readonly done: string[] = [];
  readonly #ends = new Map<string, () => void>();
  readonly #gate: ConcurrencyGate;

  constructor(limit: number, longestWaitMs?: number) {
    this.#gate = new ConcurrencyGate(limit, longestWaitMs);
  }

  /** Names begin with who asks: one letter. `!` at the end: a heavy one. */
  async ask(names: readonly string[], left?: AbortSignal): Promise<void> {
    for (const name of names) {
      const task = () =>
        new Promise<void>((resolve) => {
          this.started.push(name);
          this.#ends.set(name, resolve);
        });
      const weight = name.endsWith('!') ? 4 : 1;
      const entering = { asker: name.slice(0, 1), weight, ...(left === undefined ? {} : { left }) };
      this.#gate.run(entering, task).then(
        () => this.done.push(name),
        () => this.refused.push(name),
      );
    }
    await turn();
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    await turn();
  }
}

const many = (asker: string, count: number) => Array.from({ length: count }, (_, at) => `${asker}${at + 1}`);

describe('places that are shared out', () => {
  it('leaves half of what is free to others, whoever comes first', async () => {
    const tasks = new Tasks(8);
    await tasks.ask(many('a', 20));
    expect(tasks.started).toEqual(many('a', 4));
    await tasks.ask(many('b', 20));
    expect(tasks.started.slice(4)).toEqual(many('b', 2));
    await tasks.ask(['c1', 'c2', 'd1']);
    expect(tasks.started.slice(6)).toEqual(['c1', 'd1']);
  });

  it('lets one run after the other where there is one place', async () => {
    const tasks = new Tasks(1);
    await tasks.ask(['a1', 'a2']);
    await tasks.end('a1');
    expect(tasks.started).toEqual(['a1', 'a2']);
    await tasks.end('a2');
    await tasks.ask(['a3']);
    expect(tasks.started).toEqual(['a1', 'a2', 'a3']);
  });

  it('goes round among those who wait, each in the order of its own', async () => {
    const tasks = new Tasks(1);
    await tasks.ask(['a1', 'a2', 'a3', 'b1', 'b2', 'c1']);
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3']) await tasks.end(name);
    expect(tasks.started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('refuses the newest of whom waits most when too many wait', async () => {
    const tasks = new Tasks(2);
    // One place, and sixty-four that may wait.
    await tasks.ask(many('a', 65));
    expect(tasks.refused).toEqual([]);
    await tasks.ask(['a66']);
    expect(tasks.refused).toEqual(['a66']);
    // b takes the other place and then waits in place of the newest of a.
    await tasks.ask(['b1', 'b2', 'b3']);
    expect(tasks.started).toEqual(['a1', 'b1']);
    expect(tasks.refused).toEqual(['a66', 'a65', 'a64']);
    await tasks.end('a1');
    await tasks.end('b1');
    expect(tasks.started).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  it('refuses the heaviest of whom waits with the most weight', async () => {
    const tasks = new Tasks(1);
    await tasks.ask(['a1', ...many('b', 28), 'c1', 'c2!', 'c3', 'd1!']);
    // 28 of b weigh more than the heavy ones of others.
    await tasks.ask(['e1']);
    expect(tasks.refused).toEqual(['b28']);
    const even = new Tasks(1);
    await even.ask([
      'a1',
      ...Array.from({ length: 30 }, (_, at) => `${String.fromCodePoint(98 + at)}1`),
      'Z1',
      'Y1!',
    ]);
    await even.ask(['X1']);
    expect(even.refused).toEqual(['Y1!']);
    // As heavy as the heaviest, and newer.
    await even.ask(['W1']);
    expect(even.refused).toEqual(['Y1!', 'W1']);
    // Of its own something lighter takes the place of what is heavier.
    const own = new Tasks(1);
    await own.ask(['a1', ...many('b', 31), 'b32!', 'b33']);
    expect(own.refused).toEqual(['b32!']);
  });

  it('refuses what waited too long, and nothing else', async () => {
    const tasks = new Tasks(1, 50);
    await tasks.ask(['a1', 'b1', 'c1']);
    await tasks.end('a1');
    await expect.poll(() => tasks.refused).toEqual(['c1']);
    await tasks.end('b1');
    await tasks.ask(['d1']);
    expect(tasks.started).toEqual(['a1', 'b1', 'd1']);
  });

  it('refuses one sooner that may wait for less, never later than it lets anybody wait', async () => {
    const gate = new ConcurrencyGate(1, 60_000);
    const hold = Promise.withResolvers<void>();
    const first = gate.run({ asker: 'a' }, () => hold.promise);
    await expect(gate.run({ asker: 'b', waitMs: 20 }, async () => {})).rejects.toThrow('Too many');
    hold.resolve();
    await first;
    const soon = new ConcurrencyGate(1, 20);
    const held = Promise.withResolvers<void>();
    const running = soon.run({ asker: 'a' }, () => held.promise);
    await expect(soon.run({ asker: 'b', waitMs: 60_000 }, async () => {})).rejects.toMatchObject({
      engineCode: 202,
    });
    held.resolve();
    await running;
  });

  it('forgets who left before its turn, and does not count them as waiting', async () => {
    const tasks = new Tasks(1);
    const leave = new AbortController();
    await tasks.ask(['a1']);
    await tasks.ask(many('b', 32), leave.signal);
    await tasks.ask(['c1']);
    expect(tasks.refused).toEqual(['b32']);
    leave.abort();
    await turn();
    expect(tasks.done).toEqual(many('b', 31));
    await tasks.ask(many('d', 6));
    await tasks.ask(['b33'], leave.signal);
    expect(tasks.refused).toEqual(['b32']);
    await tasks.end('a1');
    expect(tasks.started).toEqual(['a1', 'c1']);
  });

  it('gives a place back when a task fails', async () => {
    const gate = new ConcurrencyGate(1);
    const failing = gate.run({ asker: 'a' }, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    let ran = false;
    await gate.run({ asker: 'a' }, async () => {
      ran = true;
    });
    expect(ran).toBe(true);
  });
});
