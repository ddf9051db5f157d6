/** Runs one client program in its own process. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
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
export type ClientName = (typeof CLIENTS)[number];

/** Resolves with the program's output when it ends well; rejects with it when it does not. */
export async function runClient(name: ClientName, env: ClientEnv, timeoutMs = 60_000): Promise<string> {
  return runProgram(
    NODE_BINARY,
    [join(import.meta.dirname, '..', name, 'main.ts')],
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
