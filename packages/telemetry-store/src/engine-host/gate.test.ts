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

  constructor(limit: number) {
    this.#gate = new ConcurrencyGate(limit);
  }

  /** Names begin with who asks: one letter. */
  async ask(names: readonly string[], left?: AbortSignal): Promise<void> {
    for (const name of names) {
      const task = () =>
        new Promise<void>((resolve) => {
          this.started.push(name);
          this.#ends.set(name, resolve);
        });
      this.#gate.run(name.slice(0, 1), task, left).then(
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
    // One place, and sixteen that may wait.
    await tasks.ask(many('a', 17));
    expect(tasks.refused).toEqual([]);
    await tasks.ask(['a18']);
    expect(tasks.refused).toEqual(['a18']);
    // b takes the other place and then waits in place of the newest of a.
    await tasks.ask(['b1', 'b2', 'b3']);
    expect(tasks.started).toEqual(['a1', 'b1']);
    expect(tasks.refused).toEqual(['a18', 'a17', 'a16']);
    await tasks.end('a1');
    await tasks.end('b1');
    expect(tasks.started).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  it('forgets who left before its turn, and does not count them as waiting', async () => {
    const tasks = new Tasks(1);
    const leave = new AbortController();
    await tasks.ask(['a1']);
    await tasks.ask(many('b', 8), leave.signal);
    await tasks.ask(['c1']);
    expect(tasks.refused).toEqual(['b8']);
    leave.abort();
    await turn();
    expect(tasks.done).toEqual(many('b', 7));
    await tasks.ask(many('d', 6));
    await tasks.ask(['b9'], leave.signal);
    expect(tasks.refused).toEqual(['b8']);
    await tasks.end('a1');
    expect(tasks.started).toEqual(['a1', 'c1']);
  });

  it('gives a place back when a task fails', async () => {
    const gate = new ConcurrencyGate(1);
    const failing = gate.run('a', () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    let ran = false;
    await gate.run('a', async () => {
      ran = true;
    });
    expect(ran).toBe(true);
  });
});
