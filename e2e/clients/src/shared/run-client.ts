/** Runs one client program in its own process. */
import { spawn, spawnSync } from 'node:child_process';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { NODE_BINARY } from '@candela/testkit';
import type { ClientEnv } from './client-env.ts';

/** Every client, by the folder of its program. */
export const CLIENTS = [
  'openlit',
  'openinference',
  'traceloop',
  'ai-v5',
  'ai-v7',
  'langfuse',
  'langsmith',
  'anthropic-sdk',
  'otel-exporters',
] as const;

/** Those in Python, with the modules that they import. */
const PYTHON_MODULES = {
  genkit: ['genkit', 'genkit_openai'],
  mlflow: ['mlflow', 'openai'],
  laminar: ['lmnr', 'openai'],
  opik: ['opik', 'openai', 'opentelemetry.exporter.otlp.proto.http'],
  logfire: ['logfire', 'agents'],
  langchain: ['langchain_openai', 'openinference.instrumentation.langchain'],
} as const;
export const PYTHON_CLIENTS = Object.keys(PYTHON_MODULES) as (keyof typeof PYTHON_MODULES)[];
export type ClientName = (typeof CLIENTS)[number] | keyof typeof PYTHON_MODULES;

/** The interpreters that `CLIENTS_PYTHON` names (several as in `PATH`), else the one of the tests' own environment, else any. */
const INTERPRETERS = [
  ...(process.env['CLIENTS_PYTHON'] ?? '').split(delimiter),
  join(homedir(), '.cache/candela-tests/clients/bin/python'),
  'python3',
].filter((name) => name !== '');
const ABSENT = `import importlib.util, sys
def there(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False
print(*[name for name in sys.argv[1:] if not there(name)])`;

/** The interpreter that has these modules; undefined: none has. */
export const pythonWith = (modules: readonly string[]): string | undefined =>
  INTERPRETERS.find((python) => {
    const { status, stdout } = spawnSync(python, ['-c', ABSENT, ...modules], { encoding: 'utf8' });
    return status === 0 && stdout.trim() === '';
  });

/** The interpreter that can run a client; undefined: none can, and the reason was said. */
export function pythonOf(client: keyof typeof PYTHON_MODULES): string | undefined {
  const python = pythonWith(PYTHON_MODULES[client]);
  if (python === undefined)
    console.warn(
      `SKIPPED: the client ${client}: no Python has ${PYTHON_MODULES[client].join(', ')}. Install e2e/clients/src/shared/requirements.txt and requirements-laminar.txt into an environment each and name their interpreters in CLIENTS_PYTHON, as in PATH.`,
    );
  return python;
}

const programOf = (name: ClientName): [command: string, program: string] => {
  const folder = join(import.meta.dirname, '..', name);
  if (!(name in PYTHON_MODULES)) return [NODE_BINARY, join(folder, 'main.ts')];
  const python = pythonOf(name as keyof typeof PYTHON_MODULES);
  if (python === undefined) throw new Error(`No Python has what the client ${name} imports`);
  return [python, join(folder, 'main.py')];
};

/** Resolves with the program's output when it ends well; rejects with it when it does not. */
export async function runClient(name: ClientName, env: ClientEnv, timeoutMs = 60_000): Promise<string> {
  const [command, program] = programOf(name);
  return runProgram(
    command,
    [program],
    {
      CLIENT_AI_URL: env.ai,
      CLIENT_OTLP_URL: env.otlp,
      CLIENT_OTLP_GRPC: env.grpc,
      CLIENT_API_KEY: env.apiKey,
    },
    { timeoutMs },
  );
}

/** As {@link runClient}, of any program. Of the caller's environment it gets `PATH` and `HOME` alone. */
export async function runProgram(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { timeoutMs = 60_000, cwd }: { readonly timeoutMs?: number; readonly cwd?: string } = {},
): Promise<string> {
  const child = spawn(command, args, {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (...end) => {
      resolve(end);
    });
  });
  clearTimeout(timer);
  if (code !== 0) {
    throw new Error(`${[command, ...args].join(' ')} ended with ${code ?? signal}:\n${output.slice(-4000)}`);
  }
  return output;
}
