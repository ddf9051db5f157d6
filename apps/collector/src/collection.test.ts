import { setTimeout as wait } from 'node:timers/promises';
import {
  collectorDroppedPoints,
  collectorPoints,
  collectorSourceDuration,
  collectorSourceErrors,
  type Metric,
  metric,
} from '@candela/semconv/metrics';
import { afterEach, describe, expect, it } from 'vitest';
import {
  COALESCE_MS,
  Collection,
  MAX_ATTRIBUTE_LENGTH,
  MAX_POINTS_PER_SOURCE,
  type Tick,
} from './collection.ts';
import { readConfig } from './config.ts';
import { GpuRegister } from './gpu/register.ts';
import { createLog } from './log.ts';
import { Fault, READY, type Source, type SourceContext, type SourceEntry, unavailable } from './source.ts';
import { workloadsOf } from './workload/index.ts';

const things = metric({
  name: 'test.things',
  instrument: 'counter',
  unit: '{thing}',
  description: 'Things.',
  attributes: ['kind', 'size'],
});
const heat = metric({
  name: 'test.heat',
  instrument: 'gauge',
  unit: 'Cel',
  description: 'Heat.',
  attributes: [],
});

let logged: string[] = [];
let running: Collection | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
  logged = [];
});

const entry = (id: string, source: Partial<Source>, more: Partial<SourceEntry> = {}): SourceEntry => ({
  id,
  summary: 'A test',
  platforms: [process.platform],
  metrics: [things, heat],
  off: () => undefined,
  create: () => ({ start: async () => READY, observe: () => undefined, stop: () => undefined, ...source }),
  ...more,
});

async function start(...entries: SourceEntry[]): Promise<Collection> {
  const { config } = readConfig({});
  const log = createLog('debug', (line) => logged.push(line));
  const context: SourceContext = {
    config,
    paths: config.paths,
    log,
    monotonic: () => performance.now() / 1_000,
    workload: workloadsOf(config, config.paths, log),
    gpus: new GpuRegister(),
    offers: {},
  };
  running = await Collection.start(entries, context);
  return running;
}

const valuesOf = (tick: Tick, of: Metric) => (tick.points.get(of) ?? []).map(({ value }) => value);
const errorsOf = (tick: Tick) =>
  (tick.points.get(collectorSourceErrors) ?? []).map(
    ({ value, attributes }) =>
      `${attributes['platform.collector.source']} ${attributes['error.type']} ${value}`,
  );
const droppedOf = (tick: Tick) =>
  Object.fromEntries(
    (tick.points.get(collectorDroppedPoints) ?? []).map(({ value, attributes }) => [
      attributes['error.type'],
      value,
    ]),
  );
/** Past the time within which the same tick is handed out again. */
const nextTick = () => wait(COALESCE_MS + 20);

describe('the start', () => {
  it('leaves out what is off, not for this platform or unavailable, and says why', async () => {
    const collection = await start(
      entry('on', { observe: (record) => record(heat, 1) }),
      entry('off', {}, { off: () => 'not wanted' }),
      entry('elsewhere', {}, { platforms: ['aix'] }),
      entry('missing', { start: async () => unavailable('no such device') }),
      entry('broken', { start: () => Promise.reject(new Error('bad news')) }),
    );
    expect(collection.reports().map(({ entry: { id }, state }) => [id, state])).toEqual([
      ['on', { state: 'ready' }],
      ['off', { state: 'off', reason: 'not wanted' }],
      ['elsewhere', { state: 'off', reason: `not made for ${process.platform}` }],
      ['missing', { state: 'unavailable', reason: 'no such device' }],
      ['broken', { state: 'unavailable', reason: 'bad news' }],
    ]);
    expect(valuesOf(await collection.collect(), heat)).toEqual([1]);
    expect(logged.join('')).toMatch(/info .*missing.*no such device/);
  });

  it('ends with a fault', async () => {
    const faulty = entry('faulty', { start: () => Promise.reject(new Fault('cannot do what I was told')) });
    await expect(start(entry('fine', {}), faulty)).rejects.toThrow('faulty: cannot do what I was told');
  });

  it('does not wait for ever; a source that was slow joins later', async () => {
    const gate = Promise.withResolvers<void>();
    const slow = entry('slow', {
      start: () => gate.promise.then(() => READY),
      observe: (record) => record(heat, 7),
    });
    const collection = await start(slow);
    expect(collection.reports()[0]?.state).toEqual({ state: 'starting' });
    expect(valuesOf(await collection.collect(), heat)).toEqual([]);
    gate.resolve();
    await nextTick();
    expect(valuesOf(await collection.collect(), heat)).toEqual([7]);
  });

  it('tells of a fault that came late', async () => {
    const gate = Promise.withResolvers<void>();
    const slow = entry('slow', {
      start: () => gate.promise.then(() => Promise.reject(new Fault('too late'))),
    });
    const collection = await start(slow);
    gate.resolve();
    expect(await collection.lateFault).toMatchObject({ message: 'slow: too late' });
  });
});

describe('a tick', () => {
  it('loses the points of a source that throws, and of no other', async () => {
    let broken = true;
    const collection = await start(
      entry('flaky', {
        observe: (record) => {
          record(things, 1, { kind: 'half' });
          if (broken) throw new Error('device gone\nINFO forged line');
        },
      }),
      entry('fine', { observe: (record) => record(heat, 20) }),
    );
    const first = await collection.collect();
    expect(valuesOf(first, things)).toEqual([]);
    expect(valuesOf(first, heat)).toEqual([20]);
    expect(errorsOf(first)).toEqual(['flaky exception 1']);
    await nextTick();
    expect(errorsOf(await collection.collect())).toEqual(['flaky exception 2']);
    expect(logged.filter((line) => line.includes('device gone'))).toHaveLength(1);
    expect(
      logged
        .join('')
        .split('\n')
        .some((line) => line.startsWith('INFO')),
    ).toBe(false);

    broken = false;
    await nextTick();
    expect(valuesOf(await collection.collect(), things)).toEqual([1]);
    expect(logged.at(-1)).toContain('source works again');
  });

  it('does not wait for a source beyond its budget, tells it so, and asks it again only when it has returned', async () => {
    const gate = Promise.withResolvers<void>();
    let asked = 0;
    let aborted = false;
    const hung = entry(
      'hung',
      {
        observe: async (record, signal) => {
          asked += 1;
          signal.addEventListener('abort', () => {
            aborted = true;
          });
          if (asked === 1) await gate.promise;
          record(things, asked, {});
        },
      },
      { budgetMs: 30 },
    );
    const collection = await start(hung, entry('fine', { observe: (record) => record(heat, 20) }));
    const first = await collection.collect();
    expect(valuesOf(first, heat)).toEqual([20]);
    expect(errorsOf(first)).toEqual(['hung timeout 1']);
    expect(aborted).toBe(true);
    await nextTick();
    expect(errorsOf(await collection.collect())).toEqual(['hung timeout 1', 'hung busy 1']);
    expect(asked).toBe(1);

    gate.resolve();
    await nextTick();
    const last = await collection.collect();
    // What the first call recorded after its time is not in here.
    expect(valuesOf(last, things)).toEqual([2]);
  });

  it('is shared by readers that ask within a moment, and by those that ask while it runs', async () => {
    let asked = 0;
    const gate = Promise.withResolvers<void>();
    const counting = entry('counting', {
      observe: async (record) => {
        asked += 1;
        await gate.promise;
        record(things, asked);
      },
    });
    const collection = await start(counting);
    const first = collection.collect();
    await nextTick();
    const second = collection.collect();
    gate.resolve();
    expect(await first).toBe(await second);
    expect(asked).toBe(1);
    await nextTick();
    expect(valuesOf(await collection.collect(), things)).toEqual([2]);
  });

  it('refuses points that cannot be, and counts them', async () => {
    const collection = await start(
      entry(
        'wild',
        {
          observe: (record) => {
            record(heat, Number.NaN);
            record(heat, Number.POSITIVE_INFINITY);
            record(heat, 2 ** 63);
            record(heat, -1e300);
            record(things, -1);
            record(things, 1, { kind: 'a', size: 1 });
            record(things, 2, { size: 1, kind: 'a' });
            record(things, 3, { kind: 'a', size: '1' });
            record(things, 4, { colour: 'red' });
            record(collectorPoints, 5);
            record(things, 6, { kind: `${'x'.repeat(MAX_ATTRIBUTE_LENGTH - 1)}😀` });
          },
        },
        { metrics: [things, heat] },
      ),
    );
    const tick = await collection.collect();
    expect(valuesOf(tick, things)).toEqual([1, 3, 6]);
    expect(tick.points.get(things)?.at(-1)?.attributes['kind']).toBe(
      `${'x'.repeat(MAX_ATTRIBUTE_LENGTH - 1)}\ufffd`,
    );
    expect(droppedOf(tick)).toEqual({
      not_a_number: 2,
      too_large: 2,
      negative_count: 1,
      duplicate: 1,
      undeclared: 2,
    });
  });

  it('is not changed by a source that records after it has returned', async () => {
    let late: (() => void) | undefined;
    const collection = await start(
      entry('late', {
        observe: (record) => {
          record(heat, 1);
          late = () => record(heat, 2, {});
        },
      }),
    );
    const tick = await collection.collect();
    late?.();
    expect(valuesOf(tick, heat)).toEqual([1]);
    late = undefined;
    await nextTick();
    const next = await collection.collect();
    expect(valuesOf(next, heat)).toEqual([1]);
    // Not even as a duplicate of its first point.
    expect(droppedOf(next)).toEqual({});
  });

  it('is bounded in points', async () => {
    const collection = await start(
      entry('flood', {
        observe: (record) => {
          for (let index = 0; index < MAX_POINTS_PER_SOURCE + 5; index += 1)
            record(things, 1, { size: index });
        },
      }),
    );
    const tick = await collection.collect();
    expect(valuesOf(tick, things)).toHaveLength(MAX_POINTS_PER_SOURCE);
    expect(droppedOf(tick)).toEqual({ too_many: 5 });
  });

  it('says of itself what it did', async () => {
    const collection = await start(entry('fine', { observe: (record) => record(heat, 20) }));
    const tick = await collection.collect();
    expect(tick.points.get(collectorSourceDuration)?.map(({ attributes }) => attributes)).toEqual([
      { 'platform.collector.source': 'fine' },
    ]);
    let count = 0;
    for (const points of tick.points.values()) count += points.length;
    expect(valuesOf(tick, collectorPoints)).toEqual([count]);
  });
});

it('stops though a source does not', async () => {
  let stopped = 0;
  const collection = await start(
    entry('stubborn', { stop: () => new Promise<void>(() => undefined) }),
    entry('throwing', { stop: () => Promise.reject(new Error('no')) }),
    entry('fine', {
      stop: () => {
        stopped += 1;
      },
    }),
  );
  await collection.stop();
  expect(stopped).toBe(1);
});
