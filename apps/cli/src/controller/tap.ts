import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FoundService } from './discover.ts';
import { type Credential, type Wish, writeWhole } from './state.ts';

/** What the tap says of a workload. */
export interface TapStatus {
  readonly state: 'attached' | 'unavailable';
  readonly detail: string;
  readonly content: boolean;
  readonly spans: number;
  readonly lost: number;
  /** Who it called, by the names it gave. */
  readonly hosts?: readonly string[];
}
/** A connection that a process of this host began, as the kernel told. */
export interface Connect {
  readonly pid: number;
  readonly address: string;
  readonly port: number;
}
interface StatusFile {
  readonly engine: string;
  readonly connects?: readonly Connect[];
  readonly workloads: Readonly<Record<string, TapStatus>>;
}

const AGAIN_MS = 10_000;
const IDLE_AGAIN_MS = 300_000;

/** The agent that holds the probes: started when there is something to watch, told by a file. */
export class Tap {
  readonly #command: readonly string[];
  readonly #targets: string;
  readonly #credential: Credential;
  readonly #env: Readonly<Record<string, string>>;
  readonly #say: (line: string) => void;
  #child: ChildProcess | undefined;
  #endedAt = 0;
  #written = '';
  #problem = '';

  constructor(
    command: readonly string[],
    folder: string,
    credential: Credential,
    env: Readonly<Record<string, string>>,
    say: (line: string) => void,
  ) {
    this.#command = command;
    this.#targets = join(folder, 'tap.json');
    this.#credential = credential;
    this.#env = env;
    this.#say = say;
    rmSync(`${this.#targets}.status`, { force: true });
  }

  /** Watches these services and no others. */
  watch(services: readonly FoundService[], wishes: ReadonlyMap<string, Wish>): void {
    const targets = services.flatMap(({ workload, name, processes }) => {
      const wish = wishes.get(workload);
      if (wish === undefined) return [];
      return processes.map(({ pid, start }) => ({
        pid,
        start,
        workload,
        service: name,
        content: wish.content,
      }));
    });
    const text = JSON.stringify({ targets });
    if (text !== this.#written) {
      writeWhole(this.#targets, text);
      this.#written = text;
    }
    // Also without anything to watch: it tells of connections that programs begin.
    const wait = targets.length > 0 ? AGAIN_MS : IDLE_AGAIN_MS;
    if (this.#child === undefined && (this.#endedAt === 0 || Date.now() - this.#endedAt > wait))
      this.#start();
  }

  #start(): void {
    const [program = '', ...args] = this.#command;
    const { otlp, apiKey } = this.#credential;
    const child = spawn(program, [...args, '--tap', this.#targets], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: {
        ...this.#env,
        OTEL_EXPORTER_OTLP_ENDPOINT: otlp,
        OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${encodeURIComponent(apiKey)}`,
      },
    });
    this.#child = child;
    const over = (why: string) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      this.#endedAt = Date.now();
      if (this.#problem !== why) this.#say(`the tap ended: ${why}`);
      this.#problem = why;
    };
    child.once('error', (error: NodeJS.ErrnoException) =>
      over(
        error.code === 'ENOENT'
          ? `${program} is not installed: put the agent on the path, or name it with --agent`
          : error.message,
      ),
    );
    child.once('exit', (code, signal) => over(`it ended with ${signal ?? code}`));
  }

  #status(): StatusFile | undefined {
    try {
      return JSON.parse(readFileSync(`${this.#targets}.status`, 'utf8')) as StatusFile;
    } catch {
      return undefined;
    }
  }

  get engine(): string {
    if (this.#child === undefined) return this.#problem === '' ? 'nothing is watched' : this.#problem;
    return this.#status()?.engine ?? 'starting';
  }
  /** Connections that the kernel told of lately; none where it cannot. */
  connects(): readonly Connect[] {
    return this.#child === undefined ? [] : (this.#status()?.connects ?? []);
  }
  of(workload: string): TapStatus | undefined {
    return this.#child === undefined ? undefined : this.#status()?.workloads[workload];
  }

  stop(): void {
    const child = this.#child;
    this.#child = undefined;
    child?.kill('SIGTERM');
    rmSync(`${this.#targets}.status`, { force: true });
  }
}
