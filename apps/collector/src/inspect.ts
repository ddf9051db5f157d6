import { setTimeout as wait } from 'node:timers/promises';
import { VERSION } from './about.ts';
import { startCore } from './agent.ts';
import { COALESCE_MS, type SourceReport } from './collection.ts';
import type { Config, Setting } from './config.ts';
import { startFeatures, stopFeatures } from './control/features.ts';
import type { Log } from './log.ts';

/** Utilisation is the difference of two readings: the first is thrown away. */
const BETWEEN_READINGS_MS = COALESCE_MS + 100;

/** `--once`: one collection as OTLP/JSON. @throws Fault */
export async function runOnce(config: Config, log: Log): Promise<string> {
  const [core, { otlpJson }, { TickProducer }] = await Promise.all([
    startCore(config, log),
    import('./export/once.ts'),
    import('./export/resource-metrics.ts'),
  ]);
  try {
    await core.collection.collect();
    await Promise.all([wait(BETWEEN_READINGS_MS), core.identity.settled, core.workloads.settled]);
    return await otlpJson(
      new TickProducer({
        collect: (maxAgeMs) => core.collection.collect(maxAgeMs),
        maxAgeMs: 0,
        resource: () => core.identity.attributes(),
        starts: core.starts,
        temporality: 'cumulative',
        version: VERSION,
      }),
    );
  } finally {
    await core.stop();
  }
}

/** `--check`: what the agent would do here, and why. @throws Fault */
export async function runCheck(
  config: Config,
  settings: readonly Setting[],
  warnings: readonly string[],
  log: Log,
): Promise<string> {
  const [core, features] = await Promise.all([startCore(config, log), startFeatures(config, log)]);
  try {
    if (config.otlp.endpoint !== undefined) {
      const { parseEndpoint } = await import('./export/endpoint.ts');
      parseEndpoint(config.otlp, config.otlp.endpoint);
    }
    await Promise.all([core.identity.settled, core.workloads.settled]);
    const { attributes, tiers } = core.identity.report();
    const featureLine = (name: string, feature: { state: string; reason?: string }) =>
      line(name, feature.state, feature.reason ?? '');
    return [
      `Configuration (mode ${config.mode})`,
      ...settings.map(({ name, value, from }) =>
        line(
          name,
          value === '' ? '-' : value,
          from === undefined ? 'default' : from === name ? 'set' : `set by ${from}`,
        ),
      ),
      '',
      ...(warnings.length === 0 ? [] : ['Warnings', ...warnings.map((text) => `  ${text}`), '']),
      'Sources',
      ...core.collection.reports().map(sourceLine),
      '',
      'Control API',
      featureLine('cpu/highres', features.highres),
      featureLine('profile/cpu/pt', features.cpuTracer),
      '',
      'Identity',
      ...Array.from(attributes, ([key, { value, from }]) => line(key, value, from)),
      ...tiers.map(({ name, state, detail }) => line(`(${name})`, state, detail)),
      '',
      'Containers and pods',
      ...core.workloads.report().map(({ name, state, detail }) => line(name, state, detail)),
      ...Object.entries(core.workloads.ofSelf() ?? {}).map(([key, value]) =>
        line(key, String(value), 'of this process'),
      ),
      '',
    ].join('\n');
  } finally {
    await Promise.all([core.stop(), stopFeatures(features)]);
  }
}

function sourceLine({ entry, state }: SourceReport): string {
  const shown = { ready: 'on', starting: 'starting', off: 'off', unavailable: 'unavailable' }[state.state];
  return line(entry.id, shown, 'reason' in state ? state.reason : entry.summary);
}

// oxlint-disable-next-line eslint/no-control-regex -- these are what must not reach a terminal
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function line(name: string, value: string, note: string): string {
  return `  ${name.padEnd(38)} ${value.padEnd(28)} ${note}`.replaceAll(UNSAFE, '?').trimEnd();
}
