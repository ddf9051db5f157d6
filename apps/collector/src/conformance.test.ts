import { cpSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metric } from '@candela/semconv/metrics';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seriesKey } from './collection.ts';
import { readConfig } from './config.ts';
import { FileTree, SourceRun } from './fixtures/source-run.ts';
import { SOURCES } from './registry.ts';
import type { PointAttributes } from './point-attributes.ts';
import type { SourceEntry } from './source.ts';

/** Every source, whatever it measures, keeps to what the contract in `source.ts` and its line in the registry say. */

/** Everything on, and nothing outside this machine asked. */
const ENV = {
  OTEL_GPU_COLLECTOR_MODE: 'all',
  PLATFORM_CLOUD_DETECT: 'false',
  OTEL_HOST_INTERRUPTS_PER_CPU: 'true',
  OTEL_TPU_ENDPOINT: 'http://127.0.0.1:9/metrics',
};
/** Beside the counters of network cards this one is off. */
const envOf = ({ id }: SourceEntry): Record<string, string> =>
  id === 'network' ? { ...ENV, OTEL_HOST_NIC_ENABLED: 'false' } : ENV;

/** These read no file of the host: they tell of the agent itself, or ask the kernel or a server. */
const NOT_FROM_FILES: ReadonlySet<string> = new Set(['process', 'runtime', 'pmu', 'tpu', 'gpu', 'cuda']);
/** What `PLATFORM_HOST_METRICS` is about. */
const HOST_METRICS: ReadonlySet<string> = new Set(
  'cpu disk filesystem memory network paging uptime process runtime'.split(' '),
);
const FROM_FILES = SOURCES.filter(({ id }) => !NOT_FROM_FILES.has(id));
const CAPTURED = fileURLToPath(new URL('fixtures/hosts/vm', import.meta.url));
const ENDLESS_BYTES = 1_024 ** 3;
const FILES = readdirSync(CAPTURED, { recursive: true, withFileTypes: true })
  .filter((file) => file.isFile())
  .map((file) => join(file.parentPath, file.name).slice(CAPTURED.length + 1));

type Series = ReadonlyMap<string, { readonly metric: Metric; readonly value: number }>;

/** One tick, every point of it checked. */
async function tick(entry: SourceEntry, run: SourceRun): Promise<Series> {
  const series = new Map<string, { metric: Metric; value: number }>();
  const record = (metric: Metric, value: number, attributes: PointAttributes = {}): void => {
    const key = seriesKey(metric.name, attributes);
    expect(entry.metrics, `${metric.name} is declared`).toContain(metric);
    expect(Number.isFinite(value), `${key} is a number`).toBe(true);
    for (const [name, of] of Object.entries(attributes)) {
      expect(metric.attributes, `${metric.name} declares ${name}`).toContain(name);
      expect(of, `${key}: ${name} says something`).not.toBe('');
    }
    expect(series.has(key), `${key} once`).toBe(false);
    if (metric.instrument !== 'gauge') expect(value, key).toBeGreaterThanOrEqual(0);
    if (metric.instrument === 'gauge' && metric.unit === '1') {
      expect(value, key).toBeGreaterThanOrEqual(0);
      expect(value, key).toBeLessThanOrEqual(1);
    }
    series.set(key, { metric, value });
  };
  await run.source.observe(record, AbortSignal.timeout(5_000));
  return series;
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test('the registry: names are unique, every source is of use somewhere', () => {
  const ids = SOURCES.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const metrics = new Map<string, Metric>();
  for (const entry of SOURCES) {
    expect(entry.id).toMatch(/^[a-z][a-z0-9-]*$/);
    expect(entry.summary).not.toBe('');
    expect(entry.platforms.length).toBeGreaterThan(0);
    expect(entry.metrics.length).toBeGreaterThan(0);
    for (const metric of entry.metrics) {
      // Two definitions of one name would be two instruments that overwrite each other.
      expect(metrics.get(metric.name) ?? metric).toBe(metric);
      metrics.set(metric.name, metric);
    }
  }
});

test('every metric is named, measured and described as the conventions ask', () => {
  for (const metric of SOURCES.flatMap((entry) => entry.metrics)) {
    expect(metric.name).toMatch(/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/);
    expect(metric.unit).toMatch(/^(1|s|By|By\/s|W|J|V|Hz|Cel|rpm|\{[a-z_]+\})$/);
    expect(metric.description).toMatch(/\.$/);
    expect(new Set(metric.attributes).size).toBe(metric.attributes.length);
    for (const attribute of metric.attributes) expect(attribute).toMatch(/^[a-z0-9_]+(\.[a-z0-9_]+)*$/);
  }
});

describe.each(SOURCES.map((entry) => [entry.id, entry] as const))('%s', (id, entry) => {
  const here = entry.platforms.includes(process.platform);

  test.runIf(here)(
    'is on when it is wanted; without metrics of the host those of the system and of the agent are off',
    () => {
      expect(entry.off(readConfig(envOf(entry)).config)).toBeUndefined();
      const off = entry.off(readConfig({ ...envOf(entry), PLATFORM_HOST_METRICS: 'false' }).config);
      if (HOST_METRICS.has(id)) expect(off).toContain('PLATFORM_HOST_METRICS');
      else expect(off).not.toBe('');
    },
  );

  test.runIf(here)(
    'two ticks on this machine: declared points, once each, in their range, sums that only grow',
    async () => {
      const run = new SourceRun(entry, undefined, envOf(entry));
      const started = await run.source.start();
      const stands = run.source.report?.() ?? started;
      if (stands.state === 'unavailable') {
        expect(stands.reason).not.toBe('');
        await run.source.stop();
        return;
      }
      await pause(150);
      run.now += 0.15;
      const first = await tick(entry, run);
      // Nobody answers at the address of the accelerator here.
      if (id !== 'tpu') expect(first.size).toBeGreaterThan(0);
      await pause(150);
      run.now += 0.15;
      const second = await tick(entry, run);
      for (const [key, { metric, value }] of second) {
        if (metric.instrument === 'counter')
          expect(value, key).toBeGreaterThanOrEqual(first.get(key)?.value ?? 0);
      }
      await run.source.stop();
    },
  );

  test.runIf(here && !NOT_FROM_FILES.has(id))(
    'what is not there is not told: no files, no points',
    async () => {
      const tree = new FileTree();
      const run = new SourceRun(entry, tree, envOf(entry));
      const started = await run.source.start();
      if (started.state === 'unavailable') expect(started.reason).not.toBe('');
      else expect([...(await tick(entry, run)).keys()]).toEqual([]);
      await run.source.stop();
      tree.remove();
    },
  );

  test.runIf(here && !NOT_FROM_FILES.has(id))(
    'files that vanish after the start take their points with them',
    async () => {
      const tree = new FileTree();
      cpSync(CAPTURED, tree.path, { recursive: true });
      const run = new SourceRun(entry, tree, envOf(entry));
      const started = await run.source.start();
      if (started.state === 'ready') {
        await tick(entry, run);
        tree.remove('proc');
        tree.remove('sys');
        expect([...(await tick(entry, run)).keys()]).toEqual([]);
      }
      await run.source.stop();
      tree.remove();
    },
  );

  test.runIf(here && !NOT_FROM_FILES.has(id))('a system that counts anew makes no sum fall', async () => {
    const tree = new FileTree();
    cpSync(CAPTURED, tree.path, { recursive: true });
    const run = new SourceRun(entry, tree, envOf(entry));
    if ((await run.source.start()).state === 'ready') {
      const before = await tick(entry, run);
      for (const file of FILES) {
        const text = readFileSync(join(CAPTURED, file), 'utf8');
        tree.write({
          [file]: text.replaceAll(/\b\d+\b/g, (number) => String(Math.floor(Number(number) / 3))),
        });
      }
      for (const [key, { metric, value }] of await tick(entry, run)) {
        if (metric.instrument === 'counter')
          expect(value, key).toBeGreaterThanOrEqual(before.get(key)?.value ?? 0);
      }
    }
    await run.source.stop();
    tree.remove();
  });

  test.runIf(here && !NOT_FROM_FILES.has(id))('a file without end costs its points, never more', async () => {
    const tree = new FileTree();
    cpSync(CAPTURED, tree.path, { recursive: true });
    // Only a length: no disk is filled.
    for (const file of FILES) truncateSync(join(tree.path, file), ENDLESS_BYTES);
    const run = new SourceRun(entry, tree, envOf(entry));
    const told: unknown = await run.source
      .start()
      .then(
        (started) => (started.state === 'ready' ? tick(entry, run) : new Map()),
        (thrown: unknown) => thrown,
      )
      .catch((thrown: unknown) => thrown);
    if (told instanceof Error) expect(told.name).toBe('FileTooLongError');
    await run.source.stop();
    tree.remove();
  });
});

describe('files that lie', () => {
  /** What may be wrong with a file. */
  const spoil = fc.oneof(
    fc.record({ how: fc.constant('cut' as const), at: fc.double({ min: 0, max: 1, noNaN: true }) }),
    fc.record({
      how: fc.constant('byte' as const),
      at: fc.double({ min: 0, max: 0.999, noNaN: true }),
      byte: fc.nat(255),
    }),
    fc.record({ how: fc.constant('twice' as const) }),
    fc.record({ how: fc.constant('noise' as const), bytes: fc.uint8Array({ maxLength: 200 }) }),
  );

  test.runIf(process.platform === 'linux')(
    'whatever a file of the host turns into, points keep to the rules',
    { timeout: 60_000 },
    async () => {
      const tree = new FileTree();
      cpSync(CAPTURED, tree.path, { recursive: true });
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...FILES), spoil, async (file, wrong) => {
          const path = join(tree.path, file);
          const whole = readFileSync(join(CAPTURED, file));
          const at = 'at' in wrong ? Math.floor(whole.length * wrong.at) : 0;
          const spoiled = Buffer.from(whole);
          if (wrong.how === 'byte') spoiled[at] = wrong.byte;
          const content = {
            cut: whole.subarray(0, at),
            byte: spoiled,
            twice: Buffer.concat([whole, whole]),
            noise: 'bytes' in wrong ? wrong.bytes : whole,
          }[wrong.how];
          for (const entry of FROM_FILES) {
            writeFileSync(path, whole);
            const run = new SourceRun(entry, tree, envOf(entry));
            await run.source.start();
            const before = await tick(entry, run);
            writeFileSync(path, content);
            const after = await tick(entry, run);
            await run.source.stop();
            for (const [key, { metric, value }] of after) {
              if (metric.instrument === 'counter')
                expect(value, key).toBeGreaterThanOrEqual(before.get(key)?.value ?? 0);
            }
          }
        }),
        { numRuns: 60 },
      );
      tree.remove();
    },
  );
});
