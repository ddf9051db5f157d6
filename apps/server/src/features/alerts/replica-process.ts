import { statSync } from 'node:fs';
import { silentLogger } from '@candela/kernel';
import { openMetadataStore } from '@candela/metadata-store';
import { Envelope, newMasterKey } from '@candela/vault';
import { contextOf, JobRunner } from '../../jobs/runner.ts';
import { alertJobs } from './jobs.ts';
import type { AlertSources } from './kinds/kind.ts';

/**
 * A replica that evaluates alerts and sends their messages, with an input that flaps, on a clock that runs 60 times as
 * fast. For the test beside it. Arguments: database, real time of the beginning, a file that is there once the input is
 * quiet: from the time it was written. Says `ready` when it evaluates.
 */
const [databaseUrl = '', begin = '0', quietFile = ''] = process.argv.slice(2);
const FAST = 60;
const at = (real: number): number => Number(begin) + (real - Number(begin)) * FAST;
const clock = { now: () => Math.floor(at(Date.now())) };
const metadata = await openMetadataStore({ dataDir: '/nowhere', databaseUrl, logger: silentLogger, clock });

/** Real time from which on the input is quiet. */
const quietSince = (): number =>
  statSync(quietFile, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;

/** Ten groups, each of which is beyond the limit in every second minute or so, until all are quiet. */
const aggregate = ((_context: unknown, body: { to: number }) => {
  const isOver = body.to >= at(quietSince());
  const rows = Array.from({ length: 10 }, (_, group) => {
    const value = !isOver && Math.floor(body.to / 60_000 + group) % 2 === 0 ? 100 : 1;
    return { time: null, group: [`g${group}`], values: [value], previous: null };
  });
  return Promise.resolve({ data: { rows, groups: rows.length } });
}) as unknown as AlertSources['aggregate'];
const never = () => Promise.reject(new Error('nobody asks'));
const sources: AlertSources = {
  aggregate,
  queryMetric: never,
  searchExceptions: never,
  scoreAnalytics: never,
  scoreAgreement: never,
  executeSql: never,
  metadata,
};

const timing = { pollMs: 50, leaseMs: 30_000, heartbeatMs: 100 };
const runner = new JobRunner({ metadata, clock, logger: silentLogger, timing });
const evaluating = { metadata, sources, clock, owner: runner.owner, contextOf };
const sending = {
  metadata,
  clock,
  envelope: new Envelope([newMasterKey().key]),
  publicUrl: undefined,
  send: { smtpUrl: undefined, mailFrom: '', allowPrivate: true },
};
await runner.start(
  alertJobs({
    evaluating: {
      ...evaluating,
      contextOf: ({ organisationId, projectId }) => contextOf({ organisationId, projectId }),
    },
    sending,
    logger: silentLogger,
    trigger: (id) => runner.trigger(id),
  }),
);
process.stdout.write('ready\n');
// The timers of a runner keep no process alive.
setInterval(() => undefined, 60_000);
