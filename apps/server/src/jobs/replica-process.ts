import { silentLogger, systemClock } from '@candela/kernel';
import { openMetadataStore } from '@candela/metadata-store';
import { JobRunner } from './runner.ts';
import { workThrough } from './work-through.ts';

/** A replica that works through the queue `test` with a job, and says what it does. For the test beside it. */
const [databaseUrl = ''] = process.argv.slice(2);
const clock = systemClock;
const metadata = await openMetadataStore({ dataDir: '/nowhere', databaseUrl, logger: silentLogger, clock });
const timing = { pollMs: 100, leaseMs: 1_500, heartbeatMs: 300 };
const runner = new JobRunner({ metadata, clock, logger: silentLogger, timing });
const say = (line: string) => process.stdout.write(`${line}\n`);
await runner.start([
  {
    id: 'work',
    title: 'Works',
    schedule: { everyMs: 500, atStart: true },
    async run({ signal, now }) {
      say('run');
      const shared = { metadata, queue: 'test', owner: runner.owner, leaseMs: 1_500, signal, now };
      return workThrough({
        ...shared,
        concurrency: 2,
        async handle({ key }) {
          await new Promise((resolve) => setTimeout(resolve, 20));
          say(`item ${key}`);
          return { by: runner.owner };
        },
      });
    },
  },
]);
// The timers of a runner keep no process alive.
setInterval(() => undefined, 60_000);
