import { parseArgs } from 'node:util';

export interface Options {
  readonly endpoint: string;
  readonly key: string | undefined;
  readonly seed: string;
  readonly tracesPerSecond: number;
  readonly backfillMs: number;
  readonly backfillTracesPerSecond: number;
  readonly durationMs: number;
  readonly traces: number;
  /** The wall clock at the start; fixed by `--now` for output that is the same to the byte. */
  readonly nowMs: number;
  readonly help: boolean;
}

/** As it was called: in the package files are JavaScript. */
const COMMAND = import.meta.filename.endsWith('.js') ? 'candela demo' : 'npm run demo --';

export const USAGE = `${COMMAND} [options]

Sends believable telemetry of a small company to the platform until you stop it with Ctrl-C.

  --endpoint <url>       OTLP HTTP address (default: where the platform of ./data, or of PLATFORM_DATA_DIR, listens)
  --key <key>            API key; not needed on this machine
  --rate <n>             traces a second (default 2)
  --backfill <time>      history before now, e.g. 6h or 3d (default 26h; 0 for none)
  --backfill-rate <n>    traces a second within the history (default 0.2)
  --duration <time>      stop after that time, e.g. 30s
  --traces <n>           stop after n traces
  --seed <text>          the same seed gives the same ids and texts (default: a new one)
  --now <time>           pretend that it is this time (ISO 8601)

With --duration or --traces it ends with code 2 when no platform takes anything for a minute; without them it waits.`;

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30s`, `15m`, `6h`, `2d` or `0` in milliseconds. */
export function parseDuration(text: string, flag: string): number {
  if (text === '0') return 0;
  const match = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text);
  const unit = match && UNITS_MS[match[2] ?? ''];
  if (!match || !unit) throw new Error(`${flag} takes a time like 30s, 15m, 6h or 2d, not "${text}".`);
  return Number(match[1]) * unit;
}

function positive(text: string, flag: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${flag} takes a number above 0, not "${text}".`);
  return value;
}

/**
 * Reads the command line; `found` is the address of a running platform. Throws an `Error` that names the flag when something
 * is wrong.
 */
export function readOptions(args: readonly string[], clockMs: number, found?: string): Options {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    options: {
      endpoint: { type: 'string', default: found ?? 'http://127.0.0.1:4318' },
      key: { type: 'string' },
      seed: { type: 'string' },
      rate: { type: 'string', default: '2' },
      backfill: { type: 'string', default: '26h' },
      'backfill-rate': { type: 'string', default: '0.2' },
      duration: { type: 'string' },
      traces: { type: 'string' },
      now: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (!URL.canParse(values.endpoint)) throw new Error(`--endpoint takes a URL, not "${values.endpoint}".`);
  const nowMs = values.now === undefined ? clockMs : Date.parse(values.now);
  if (Number.isNaN(nowMs)) throw new Error(`--now takes an ISO 8601 time, not "${values.now}".`);
  return {
    endpoint: values.endpoint,
    key: values.key,
    seed: values.seed ?? clockMs.toString(36),
    tracesPerSecond: positive(values.rate, '--rate'),
    backfillMs: parseDuration(values.backfill, '--backfill'),
    backfillTracesPerSecond: positive(values['backfill-rate'], '--backfill-rate'),
    durationMs:
      values.duration === undefined ? Number.POSITIVE_INFINITY : parseDuration(values.duration, '--duration'),
    traces: values.traces === undefined ? Number.POSITIVE_INFINITY : positive(values.traces, '--traces'),
    nowMs,
    help: values.help,
  };
}
