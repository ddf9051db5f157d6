import { type ChildProcess, fork } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { backoffMs, type Logger } from '@candela/kernel';

const AGENT = fileURLToPath(new URL('../../collector/src/main.ts', import.meta.url));

export interface LocalCollectorTiming {
  /** First and longest pause before a restart; doubles in between. */
  readonly backOffMinMs: number;
  readonly backOffMaxMs: number;
  /** Running for this long, the next end starts from the shortest pause again. */
  readonly forgiveAfterMs: number;
  /** How long its last export may take when everything stops. */
  readonly stopLimitMs: number;
}

const DEFAULT_TIMING: LocalCollectorTiming = {
  backOffMinMs: 1_000,
  backOffMaxMs: 60_000,
  forgiveAfterMs: 60_000,
  stopLimitMs: 3_000,
};

export interface LocalCollectorOptions {
  /** Where the platform takes OTLP over HTTP, as this machine reaches it. */
  readonly endpoint: string;
  readonly apiKey: string | undefined;
  /** Variables of the agent that were set for the platform; nothing else of the environment reaches it. */
  readonly env: Readonly<Record<string, string>>;
  readonly logger: Logger;
  /** Another program in its place, for tests. */
  readonly program?: string;
  readonly timing?: Partial<LocalCollectorTiming>;
}

const LEVELS = new Set(['debug', 'info', 'warn', 'error'] as const);
type Level = 'debug' | 'info' | 'warn' | 'error';
const LINE = /^\S+ (debug|info|warn|error)\s+(.*)$/;
const MAX_LINE = 2_000;
/** It needs little; a leak in it must not become one of the platform, nor its collector take the cores of others. */
const NODE_OPTIONS = ['--max-old-space-size=96', '--max-semi-space-size=1', '--v8-pool-size=1'];

/**
 * The agent of this machine, run beside the platform so that a new user sees their own host. A child process: what
 * happens to it does not happen to the platform. It ends with the platform, also when that is killed, because the channel
 * between the two closes.
 */
export class LocalCollector {
  readonly #options: LocalCollectorOptions;
  readonly #timing: LocalCollectorTiming;
  #child: ChildProcess | undefined;
  #failuresInRow = 0;
  #restarts = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopping = false;

  constructor(options: LocalCollectorOptions) {
    this.#options = options;
    this.#timing = { ...DEFAULT_TIMING, ...options.timing };
  }

  /** Process id while it runs. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Times it was started again. */
  get restarts(): number {
    return this.#restarts;
  }

  start(): void {
    const { endpoint, apiKey, env, logger, program } = this.#options;
    // The folder of this version of Node below that of the variable.
    const compiled = getCompileCacheDir();
    const child = fork(program ?? AGENT, [], {
      execArgv: NODE_OPTIONS,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: {
        ...(compiled && { NODE_COMPILE_CACHE: dirname(compiled) }),
        // Nobody asked for a control API or a Prometheus page here, and their ports may belong to an agent of the machine.
        OTEL_GPU_CONTROL_ADDR: '',
        OTEL_METRIC_EXPORT_INTERVAL: '10000',
        OTEL_LOG_LEVEL: 'warn',
        // No call leaves the platform's machine unless somebody asks for it.
        PLATFORM_CLOUD_DETECT: 'false',
        ...env,
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
        ...(apiKey === undefined ? {} : { OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${apiKey}` }),
      },
    });
    this.#child = child;
    const startedAt = Date.now();
    if (child.stderr !== null) {
      createInterface({ input: child.stderr }).on('line', (line) => this.#tell(line));
    }
    // Whichever comes first: a process that could not be made has no exit.
    const ended = (fields: object): void => {
      if (this.#child !== child) return;
      this.#child = undefined;
      if (this.#stopping) return;
      if (Date.now() - startedAt >= this.#timing.forgiveAfterMs) this.#failuresInRow = 0;
      const pause = backoffMs(this.#failuresInRow, {
        firstMs: this.#timing.backOffMinMs,
        maxMs: this.#timing.backOffMaxMs,
      });
      this.#failuresInRow += 1;
      logger.warn(
        { component: 'collector', ...fields, againInMs: pause },
        'the collector of this machine ended; it is started again (PLATFORM_LOCAL_COLLECTOR=false leaves it out)',
      );
      this.#timer = setTimeout(() => {
        this.#restarts += 1;
        this.start();
      }, pause);
      this.#timer.unref();
    };
    child.once('error', (error) => ended({ err: error }));
    child.once('exit', (code, signal) => ended({ code, signal }));
    logger.debug({ component: 'collector', pid: child.pid }, 'the collector of this machine was started');
  }

  /** Lets it send what it measured last, then ends it. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child === undefined) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    if (child.connected) child.disconnect();
    const timer = setTimeout(() => child.kill('SIGKILL'), this.#timing.stopLimitMs);
    await gone;
    clearTimeout(timer);
  }

  #tell(line: string): void {
    const [, level, text] = LINE.exec(line) ?? [];
    const known = LEVELS.has(level as Level) ? (level as Level) : 'warn';
    this.#options.logger[known]({ component: 'collector' }, (text ?? line).slice(0, MAX_LINE));
  }
}
