export type Command = 'run' | 'help' | 'version' | 'check' | 'once' | 'tap';

const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ['--help', 'help'],
  ['-h', 'help'],
  ['--version', 'version'],
  ['--check', 'check'],
  ['--once', 'once'],
]);

/** What the arguments ask for; the argument that is not known, when there is one. */
export function parseArguments(
  args: readonly string[],
): { readonly command: Command; readonly file?: string } | { readonly unknown: string } {
  const [first, file, ...more] = args;
  if (first === '--tap' && file !== undefined && more.length === 0) return { command: 'tap', file };
  let command: Command = 'run';
  for (const argument of args) {
    const asked = COMMANDS.get(argument);
    if (asked === undefined || (command !== 'run' && command !== asked)) return { unknown: argument };
    command = asked;
  }
  return { command };
}

export const HELP = `opentelemetry-gpu-collector sends metrics of this machine over OTLP.

Usage: opentelemetry-gpu-collector [--check | --once | --tap FILE | --version | --help]

  (none)     run until stopped
  --check    print the configuration, the sources and the identity with their reasons, then end
  --once     print one collection as OTLP/JSON, then end
  --tap FILE see the model calls of the processes in FILE; started by candela controller
  --version  print the version
  --help     print this

Everything is set by environment variables. The ones that matter first:

  OTEL_EXPORTER_OTLP_ENDPOINT   where metrics go, e.g. http://localhost:4317
  OTEL_EXPORTER_OTLP_PROTOCOL   grpc (default) or http/protobuf
  OTEL_EXPORTER_OTLP_HEADERS    e.g. authorization=Bearer%20<key>
  OTEL_METRIC_EXPORT_INTERVAL   milliseconds between exports, default 60000
  OTEL_GPU_COLLECTOR_MODE       all (default), light, serving, training, deep
  OTEL_GPU_PROMETHEUS_ADDR      serve Prometheus /metrics too, e.g. 127.0.0.1:9464
  OTEL_GPU_CONTROL_ADDR         control API, default 127.0.0.1:1919 in the modes deep and all; empty switches it off

--check lists all of them. Exit codes: 0 stopped or done, 1 a fault (one line says which), 2 an unknown argument.
`;
