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
  const child = spawn(NODE_BINARY, [join(import.meta.dirname, '..', name, 'main.ts')], {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      CLIENT_AI_URL: env.ai,
      CLIENT_OTLP_URL: env.otlp,
      CLIENT_OTLP_GRPC: env.grpc,
      CLIENT_API_KEY: env.apiKey,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    child.once('close', (...end) => {
      resolve(end);
    });
  });
  clearTimeout(timer);
  if (code !== 0) throw new Error(`Client ${name} ended with ${code ?? signal}:\n${output.slice(-4000)}`);
  return output;
}
