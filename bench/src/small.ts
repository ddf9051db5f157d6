import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type PlatformProcess, startPlatform } from '@candela/testkit';
import { drained } from './ingest/drained.ts';
import { Api } from './lib/api.ts';
import type { Bench } from './lib/bench.ts';
import { family, memory } from './lib/proc.ts';
import { type Figure, type Findings, mebibytes, thousands } from './lib/table.ts';
import { sleep, withTempDir } from './lib/temp.ts';
import { fill } from './load.ts';

const LIMIT = 1024 ** 3;

/** A group of processes that the kernel bounds; undefined where none can be made. */
interface Bounded {
  enter(): void;
  leave(): void;
  /** The most that it ever held, and how often the kernel had to kill. */
  told(): { readonly peak: number; readonly kills: number };
  remove(): void;
}

/** Of either version of control groups. */
function bounded(): Bounded | undefined {
  const name = `candela-small-${process.pid}`;
  for (const [root, limit, peak, events] of [
    ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes', 'memory.max_usage_in_bytes', 'memory.oom_control'],
    ['/sys/fs/cgroup', 'memory.max', 'memory.peak', 'memory.events'],
  ] as const) {
    const group = join(root, name);
    try {
      mkdirSync(group);
      writeFileSync(join(group, limit), String(LIMIT));
    } catch {
      continue;
    }
    const move = (to: string) => writeFileSync(join(to, 'cgroup.procs'), String(process.pid));
    return {
      enter: () => move(group),
      leave: () => move(root),
      told: () => ({
        peak: Number(readFileSync(join(group, peak), 'utf8')),
        kills: Number(/^oom_kill (\d+)/m.exec(readFileSync(join(group, events), 'utf8'))?.[1] ?? 0),
      }),
      remove: () => rmdirSync(group),
    };
  }
  return undefined;
}

/** What the pages ask for first. */
const ASKS: readonly (readonly [path: string, body: object | undefined])[] = [
  ['/api/telemetry/traces/search', {}],
  ['/api/telemetry/traces/search', { sort: 'cost' }],
  ['/api/telemetry/spans/search', {}],
  ['/api/telemetry/logs/search', {}],
  [
    '/api/telemetry/aggregate',
    { measures: ['count', 'duration_p95'], groupBy: ['service'], bucketSeconds: 'auto' },
  ],
  ['/api/telemetry/aggregate', { measures: ['cost', 'total_tokens'], groupBy: ['model'] }],
  ['/api/telemetry/facets', { fields: ['service', 'model', 'status'] }],
  ['/api/telemetry/spans/durations', { bucketSeconds: 3_600 }],
  ['/api/telemetry/exceptions/search', {}],
  ['/api/telemetry/sessions', undefined],
  ['/api/telemetry/users', undefined],
  ['/api/telemetry/agents', undefined],
  ['/api/telemetry/hosts', undefined],
];

const figures = (platform: PlatformProcess, when: string): Figure[] => {
  const all = family(platform.pid).map(({ pid, name }) => ({ name, ...memory(pid) }));
  return [
    {
      what: `memory ${when}, all ${all.length} processes`,
      value: mebibytes(all.reduce((sum, { rss }) => sum + rss, 0)),
      against: `${mebibytes(all.reduce((sum, { pss }) => sum + pss, 0))} with shared pages counted once`,
    },
    ...all.map(({ name, rss, anonymous }) => ({
      what: `  ${name}`,
      value: mebibytes(rss),
      against: `${mebibytes(anonymous)} of it in no file`,
    })),
  ];
};

export const small: Bench = {
  async run(args): Promise<Findings> {
    const { values } = parseArgs({
      args: [...args],
      options: { spans: { type: 'string', default: '1000000' }, rest: { type: 'string', default: '20' } },
    });
    const group = bounded();
    try {
      return await withTempDir(async (dataDir) => {
        group?.enter();
        const platform = await startPlatform({
          dataDir,
          env: { PLATFORM_PROFILE: group === undefined ? 'small' : 'auto', PLATFORM_LOCAL_COLLECTOR: 'true' },
        }).finally(() => group?.leave());
        await sleep(Number(values.rest) * 1_000);
        const rest = figures(platform, 'at rest after a start');
        const { acknowledgedSpans, seconds, retries } = await fill({
          endpoint: platform.otlpHttp,
          items: Number(values.spans),
          spreadMs: 24 * 3_600_000,
          connections: 4,
        });
        const isStored = await drained(platform);
        const api = new Api(platform.http);
        let slowest = 0;
        const refused: string[] = [];
        for (const [path, body] of ASKS) {
          const startedAt = performance.now();
          const asked =
            body === undefined ? api.get(`${path}?from=-24h`) : api.post(path, { from: '-24h', ...body });
          await asked.catch((thrown: unknown) => {
            refused.push(String(thrown));
          });
          slowest = Math.max(slowest, performance.now() - startedAt);
        }
        const loaded = figures(platform, `after ${values.spans} spans and the questions of all pages`);
        const told = group?.told();
        const { code } = await platform.stop(60_000);
        return {
          bench: 'small',
          command: `npm run bench -- small ${args.join(' ')}`.trimEnd(),
          figures: [
            ...rest,
            ...loaded,
            {
              what: 'spans acknowledged and stored',
              value: `${thousands(acknowledgedSpans)}${isStored ? '' : ' (not all stored)'}`,
              against: `${thousands(acknowledgedSpans / seconds)} a second; ${retries} asked to wait`,
            },
            {
              what: 'questions of pages answered',
              value: `${ASKS.length - refused.length} of ${ASKS.length}`,
              against: `the slowest in ${thousands(slowest)} ms`,
            },
            {
              what: 'most memory in the group, page cache too',
              value: told === undefined ? 'no group could be made' : mebibytes(told.peak),
              against: told === undefined ? '' : `limit ${mebibytes(LIMIT)}; ${told.kills} processes killed`,
            },
            { what: 'exit code of the platform', value: String(code), against: '' },
          ],
          notes: [
            group === undefined
              ? 'SKIPPED: no control group can be made here (root is needed), so nothing bounds it; the profile is set by hand.'
              : 'The kernel bounds all processes of the platform together; the profile is found by that bound.',
            ...refused,
          ],
        };
      });
    } finally {
      try {
        group?.remove();
      } catch {
        // A process of it is still ending.
      }
    }
  },
};
