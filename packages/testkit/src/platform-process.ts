import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
/** The Node that npm brought, whatever started the caller. */
export const NODE_BINARY = join(ROOT, 'node_modules', '.bin', 'node');
const KEPT_LINES = 400;

/** What `npm start` gives Node: flags, and at last the server's main file. */
function startArgs(root: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly start: string };
  };
  // An earlier checkout may start its server without `exec`.
  const [node, ...args] = scripts.start.replace(/^(?:.* )?exec /, '').split(' ');
  const main = args.pop();
  if (node !== 'node' || main === undefined)
    throw new Error(`npm start is no call of node: ${scripts.start}`);
  return [...args, join(root, main)];
}

/** Where temporary files and compiled modules of a run of tests are; nothing where there is no such run. */
function ofTheRun(): Record<string, string> {
  const { TMPDIR, NODE_COMPILE_CACHE } = process.env;
  return { ...(TMPDIR && { TMPDIR }), ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
}

export interface PlatformOptions {
  /** `PLATFORM_DATA_DIR`. A temporary folder of the caller, who also removes it. */
  readonly dataDir: string;
  /** The folder is empty, and gets a store with its tables where the run of tests has made one. */
  readonly newStore?: boolean;
  /** Added to (and winning over) the defaults: all ports 0, no local collector. */
  readonly env?: Readonly<Record<string, string>>;
  /** Another checkout of this repository, whose server is started. */
  readonly root?: string;
  /** Node flags before the script, e.g. `--cpu-prof`. */
  readonly nodeArgs?: readonly string[];
  /** `npm`: the whole `npm start` with its pre-script, as a user types it. Default `node`: the server alone. */
  readonly launcher?: 'node' | 'npm';
  /** Milliseconds until the ready line must have come; default 60,000. */
  readonly readyTimeoutMs?: number;
}

export interface PlatformExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface PlatformProcess {
  /** Base addresses as the platform bound them, e.g. `http://127.0.0.1:41234`; gRPC as `host:port`. */
  readonly http: string;
  readonly otlpHttp: string;
  readonly otlpGrpc: string;
  readonly pid: number;
  /** The process that was spawned: npm where that launches the server, else the server. */
  readonly launcherPid: number;
  /** Pid of the engine host as it is now (it changes at a restart); undefined while there is none. */
  readonly enginePid: number | undefined;
  /** Milliseconds from spawn to the ready line. */
  readonly readyAfterMs: number;
  readonly exited: Promise<PlatformExit>;
  /** Processes below the server at this moment. */
  children(): readonly { readonly pid: number; readonly command: string }[];
  /** The last lines of standard output and error, oldest first. */
  output(): readonly string[];
  /** SIGTERM, then waits for the end. After `graceMs` (default 30,000) it is killed, which shows as signal SIGKILL. */
  stop(graceMs?: number): Promise<PlatformExit>;
  /** SIGKILL to the server process alone; resolves when it is gone. The engine host has to notice by itself. */
  kill(): Promise<PlatformExit>;
}

interface ReadyLine {
  readonly http: string;
  readonly otlpHttp: string;
  readonly otlpGrpc: string;
  readonly pid: number;
}

/** Every descendant of `pid` with its command line. Empty where there is no /proc. */
export function descendants(pid: number): { pid: number; command: string }[] {
  const children = new Map<number, { pid: number; command: string }[]>();
  let entries: string[];
  try {
    entries = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
  for (const entry of entries) {
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      // The command in parentheses may hold spaces and parentheses: count fields from the last one.
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      const command = readFileSync(`/proc/${entry}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      const siblings = children.get(parent) ?? [];
      siblings.push({ pid: Number(entry), command });
      children.set(parent, siblings);
    } catch {
      // The process ended between the listing and the read.
    }
  }
  const found: { pid: number; command: string }[] = [];
  const queue = [pid];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    for (const child of children.get(next) ?? []) {
      found.push(child);
      queue.push(child.pid);
    }
  }
  return found;
}

function readyLine(line: string): ReadyLine | undefined {
  if (!line.startsWith('{')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const fields = new Map<string, unknown>(Object.entries(value as Record<string, unknown>));
  if (fields.get('event') !== 'ready') return undefined;
  const text = (key: string): string => {
    const field = fields.get(key);
    if (typeof field !== 'string') throw new Error(`The ready line has no ${key}: ${line}`);
    return field;
  };
  return {
    http: text('http'),
    otlpHttp: text('otlpHttp'),
    otlpGrpc: text('otlpGrpc'),
    pid: Number(fields.get('pid')),
  };
}

function keepLines(child: ChildProcess, lines: string[], onLine: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
      onLine(line);
    });
  }
}

/**
 * Starts the whole platform as a process of its own on free ports and waits until it says that it is ready.
 * Nothing of the caller's environment leaks in but PATH-like basics. Throws with the last output when it ends or
 * stays silent. The process dies with the caller.
 */
export async function startPlatform(options: PlatformOptions): Promise<PlatformProcess> {
  const made = process.env['CANDELA_MIGRATED_STORE'];
  if (options.newStore === true && made !== undefined)
    cpSync(made, join(options.dataDir, 'telemetry'), { recursive: true });
  const startedAt = performance.now();
  const [command, args] =
    options.launcher === 'npm'
      ? ['npm', ['start', '--silent', '--', '--json']]
      : [NODE_BINARY, [...(options.nodeArgs ?? []), ...startArgs(options.root ?? ROOT), '--json']];
  const child = spawn(command, args, {
    cwd: options.root ?? ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: `${dirname(NODE_BINARY)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: homedir(),
      PLATFORM_PORT: '0',
      PLATFORM_OTLP_HTTP_PORT: '0',
      PLATFORM_OTLP_GRPC_PORT: '0',
      PLATFORM_DATA_DIR: options.dataDir,
      PLATFORM_LOCAL_COLLECTOR: 'false',
      ...ofTheRun(),
      ...options.env,
    },
  });
  const killWithCaller = () => child.kill('SIGKILL');
  process.once('exit', killWithCaller);
  const exited: Promise<PlatformExit> = new Promise((resolve) => {
    // `exit`, not `close`: the engine host shares the pipes and may outlive a killed server for a moment.
    child.once('exit', (code, signal) => {
      process.off('exit', killWithCaller);
      resolve({ code, signal });
    });
  });

  const lines: string[] = [];
  const ready = await new Promise<ReadyLine>((resolve, reject) => {
    const failWith = (reason: string) =>
      reject(new Error(`The platform ${reason}. Its last output:\n${lines.slice(-40).join('\n')}`));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      failWith('did not become ready in time');
    }, options.readyTimeoutMs ?? 60_000);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    void exited.then(({ code, signal }) => {
      clearTimeout(timer);
      // Its last words may still be in the pipe.
      setTimeout(() => failWith(`ended before it was ready (code ${code}, signal ${signal})`), 200);
    });
    keepLines(child, lines, (line) => {
      try {
        const found = readyLine(line);
        if (!found) return;
        clearTimeout(timer);
        resolve(found);
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
  const readyAfterMs = performance.now() - startedAt;
  /** Below npm the server is a grandchild: signals go to it, not to npm. */
  const pid = ready.pid;
  const signal = (name: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(pid, name);
    } catch {
      // It is gone already.
    }
  };

  return {
    http: ready.http,
    otlpHttp: ready.otlpHttp,
    otlpGrpc: ready.otlpGrpc,
    pid,
    launcherPid: child.pid ?? pid,
    readyAfterMs,
    exited,
    get enginePid() {
      return descendants(pid).find(({ command }) => command.includes('engine-host'))?.pid;
    },
    children: () => descendants(pid),
    output: () => lines,
    async stop(graceMs = 30_000) {
      signal('SIGTERM');
      const timer = setTimeout(() => signal('SIGKILL'), graceMs);
      const exit = await exited;
      clearTimeout(timer);
      return exit;
    },
    async kill() {
      signal('SIGKILL');
      return exited;
    },
  };
}
