import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startOtlpRecorder } from '@candela/testkit';
import { sleep } from '../lib/temp.ts';

/** Names the OpenTelemetry Collector to compare with: one with the receiver host_metrics and the exporter otlp_http. */
const VARIABLE = 'OTELCOL_BINARY';
const START_TRIES = 200;

/** What it reads of the machine: all that it reads of it by itself and the agent reads too, processes included. */
const SCRAPERS = ['cpu', 'memory', 'load', 'disk', 'filesystem', 'network', 'paging', 'processes', 'process'];

/** Its binary; undefined, and said aloud, where none is named. */
export function otelCollector(): string | undefined {
  const file = process.env[VARIABLE];
  if (file === undefined || file === '') {
    console.log(
      `SKIPPED: the comparison with the OpenTelemetry Collector: ${VARIABLE} names no binary of it`,
    );
    return undefined;
  }
  accessSync(file, constants.X_OK);
  return file;
}

/** The Collector with its receiver of host metrics, sending as often as the agent to a receiver of its own. */
export async function startOtelCollector(file: string, folder: string, intervalMs: number) {
  const receiver = await startOtlpRecorder();
  const config = join(folder, 'otelcol.yaml');
  writeFileSync(
    config,
    `receivers:
  host_metrics:
    collection_interval: ${intervalMs}ms
    scrapers: {${SCRAPERS.map((name) => `${name}: {${name === 'process' ? 'mute_process_all_errors: true' : ''}}`).join(', ')}}
exporters:
  otlp_http: {endpoint: "${receiver.http}"}
service:
  telemetry: {logs: {level: error}, metrics: {level: none}}
  pipelines: {metrics: {receivers: [host_metrics], exporters: [otlp_http]}}
`,
  );
  const child = spawn(file, ['--config', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  const stop = async () => {
    const closed = child.exitCode === null ? once(child, 'close') : undefined;
    child.kill();
    await closed;
    await receiver.close();
  };
  for (let tries = 0; receiver.requests.length === 0; tries += 1) {
    if (tries >= START_TRIES || child.exitCode !== null) {
      await stop();
      throw new Error('the OpenTelemetry Collector sent nothing');
    }
    await sleep(100);
  }
  return { pid: child.pid ?? 0, stop };
}
