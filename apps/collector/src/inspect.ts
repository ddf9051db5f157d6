import { setTimeout as wait } from 'node:timers/promises';
import { VERSION } from './about.ts';
import { startCore } from './agent.ts';
import { COALESCE_MS, type SourceReport } from './collection.ts';
import type { Config, Setting } from './config.ts';
import { startFeatures, stopFeatures } from './control/features.ts';
import type { Log } from './log.ts';
import { escapeUnsafe } from './unsafe-text.ts';

/** A share is the difference of two readings: the first, which has the start of the agent in it, is thrown away. */
const BETWEEN_READINGS_MS = 2 * COALESCE_MS;

/** How long devices may take to be found: a driver that was idle takes seconds to bring them up. */
const SETTLE_MS = 15_000;

/** `--once`: one collection as OTLP/JSON. @throws Fault */
export async function runOnce(config: Config, log: Log): Promise<string> {
  const [core, { otlpJson }, { TickProducer }] = await Promise.all([
    startCore(config, log),
    import('./export/once.ts'),
    import('./export/resource-metrics.ts'),
  ]);
  try {
    await core.collection.settled(SETTLE_MS);
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
  const offers = {};
  const [core, features] = await Promise.all([
    startCore(config, log, offers),
    startFeatures(config, log, offers),
  ]);
  try {
    await checkAddresses(config);
    await Promise.all([core.collection.settled(SETTLE_MS), core.identity.settled, core.workloads.settled]);
    const { attributes, tiers } = core.identity.report();
    const feature = (name: string, { state, reason }: { state: string; reason?: string }): Row => [
      name,
      state,
      reason ?? '',
    ];
    return [
      `Configuration (mode ${config.mode})`,
      ...settingSections(settings).flatMap(([name, rows]) => ['', ` ${name}`, ...table(rows)]),
      '',
      ...(warnings.length === 0
        ? []
        : ['Warnings', ...warnings.map((text) => `  ${escapeUnsafe(text)}`), '']),
      'Sources',
      ...table(core.collection.reports().map(sourceRow)),
      '',
      'Control API',
      ...table([
        feature('cpu/highres', features.highres),
        feature('profile/cpu/pt', features.cpuTracer),
        feature('profile/gpu', features.gpuProfiler),
        feature('dcgm', features.dcgm()),
      ]),
      '',
      'Identity',
      ...table([
        ...Array.from(attributes, ([key, { value, from }]): Row => [key, value, from]),
        ...tiers.map(({ name, state, detail }): Row => [`(${name})`, state, detail]),
      ]),
      '',
      'Containers and pods',
      ...table([
        ...core.workloads.report().map(({ name, state, detail }): Row => [name, state, detail]),
        ...Object.entries(core.workloads.ofSelf() ?? {}).map(
          ([key, value]): Row => [key, String(value), 'of this process'],
        ),
      ]),
      '',
    ].join('\n');
  } finally {
    await Promise.all([core.stop(), stopFeatures(features)]);
  }
}

/** What the agent would refuse to start with, without listening or connecting. @throws Fault */
async function checkAddresses({ otlp, control, prometheusAddress }: Config): Promise<void> {
  if (otlp.endpoint !== undefined) {
    const { parseEndpoint } = await import('./export/endpoint.ts');
    if (parseEndpoint(otlp, otlp.endpoint).tls) {
      const { readTlsFiles } = await import('./export/otlp.ts');
      readTlsFiles(otlp);
    }
  }
  if (control.address !== undefined) {
    const { controlAddress } = await import('./control/server.ts');
    controlAddress({ ...control, address: control.address });
  }
  if (prometheusAddress !== undefined) {
    const { prometheusListenAddress } = await import('./export/prometheus.ts');
    prometheusListenAddress(prometheusAddress);
  }
}

type Row = readonly [name: string, value: string, note: string];

function settingSections(settings: readonly Setting[]): [string, Row[]][] {
  const sections = new Map<string, Row[]>();
  for (const { name, section, value, from } of settings) {
    const rows = sections.get(section) ?? [];
    const note = from === undefined ? 'default' : from === name ? 'set' : `set by ${from}`;
    rows.push([name, value === '' ? '-' : value, note]);
    sections.set(section, rows);
  }
  return [...sections];
}

function sourceRow({ entry, state }: SourceReport): Row {
  const shown = { ready: 'on', starting: 'starting', off: 'off', unavailable: 'unavailable' }[state.state];
  if (state.state === 'ready') return [entry.id, shown, state.detail ?? entry.summary];
  return [entry.id, shown, 'reason' in state ? state.reason : entry.summary];
}

/** A value longer than this (a list, a path) pushes its own note to the right, not those of all rows. */
const MAX_COLUMN = 40;

function table(rows: readonly Row[]): string[] {
  const width = (column: 0 | 1): number =>
    Math.max(
      0,
      ...rows.map((row) => row[column].length).filter((length) => column === 0 || length <= MAX_COLUMN),
    );
  const [names, values] = [width(0), width(1)];
  return rows.map(([name, value, note]) =>
    escapeUnsafe(`  ${name.padEnd(names)}  ${value.padEnd(values)}  ${note}`).trimEnd(),
  );
}
