import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NODE_BINARY } from '@candela/testkit';
import { withTempDir } from './temp.ts';

const MAIN = join(import.meta.dirname, 'asker-main.ts');

/** Requests that are sent in turns, at a steady rate whatever becomes of them. */
export interface AskerOrder {
  /** `http://127.0.0.1:3000` */
  readonly base: string;
  readonly requests: readonly {
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  }[];
  /** Requests a second, of all connections together. */
  readonly rate: number;
  readonly seconds: number;
  readonly connections: number;
  /** What every good answer holds. */
  readonly expect?: string;
}

export interface Asked {
  readonly answers: number;
  /** Not 200, without what was expected, or not answered. */
  readonly failed: number;
  readonly elapsed: number;
  /** Milliseconds from the moment a request was due. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Asks from a process of its own. @param on what starts it, such as `taskset`; default: nothing */
export function ask(order: AskerOrder, on: readonly string[] = []): Promise<Asked> {
  return withTempDir(async (dir) => {
    const file = join(dir, 'order.json');
    await writeFile(file, JSON.stringify(order));
    const [command, ...args] = [...on, NODE_BINARY, MAIN, file];
    const { stdout } = await promisify(execFile)(command, args);
    return JSON.parse(stdout) as Asked;
  });
}
