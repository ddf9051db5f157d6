import type { Logger } from '@candela/kernel';
import type { Job } from '../../jobs/job.ts';
import { workThrough } from '../../jobs/work-through.ts';
import { deliver, type DeliverParts, MAX_ATTEMPTS } from './deliver.ts';
import { evaluateAlert, type EvaluateParts } from './evaluate.ts';
import { DELIVERY_QUEUE } from './queue.ts';

const EVALUATE = 'alert-evaluation';
const DELIVER = 'alert-deliveries';
/** Below the five seconds in which jobs are looked for: due at every look. */
const EVERY_MS = 4_000;
const LEASE_MS = 120_000;
const AT_ONCE = 4;
const KEPT_MS = 90 * 86_400_000;

/** Evaluation, messages, and the retention of the history. */
export function alertJobs(parts: {
  readonly evaluating: EvaluateParts;
  readonly sending: DeliverParts;
  readonly logger: Logger;
  /** Runs a job as soon as it can be. */
  trigger(job: string): Promise<void>;
}): readonly Job[] {
  const { evaluating, sending, logger, trigger } = parts;
  const { metadata, owner } = evaluating;
  const evaluation: Job = {
    id: EVALUATE,
    title: 'Evaluation of alerts',
    schedule: { everyMs: EVERY_MS, atStart: true },
    async run({ signal }) {
      const counts = { evaluated: 0, failed: 0, messages: 0 };
      const lane = async (): Promise<void> => {
        while (!signal.aborted) {
          const [alert] = await metadata.alerts.takeDue({ owner, leaseMs: LEASE_MS, limit: 1 });
          if (alert === undefined) return;
          try {
            const messages = await evaluateAlert(evaluating, alert, signal);
            const isFirst = counts.messages === 0;
            counts.messages += messages;
            counts.evaluated += 1;
            // The first does not wait for all other alerts; the following are found at the next look at the jobs, or below.
            if (isFirst && messages > 0) await trigger(DELIVER);
          } catch (thrown) {
            counts.failed += 1;
            logger.warn(
              { err: thrown, alert: alert.id },
              'an alert was not evaluated; its lease ends by itself',
            );
          }
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, lane));
      // What is due at once does not wait for the next look at the jobs.
      if (counts.messages > 0 && !signal.aborted) await trigger(DELIVER);
      return counts;
    },
  };
  const delivery: Job = {
    id: DELIVER,
    title: 'Messages of alerts',
    schedule: { everyMs: EVERY_MS, atStart: true },
    run: ({ signal, now }) =>
      workThrough({
        metadata,
        queue: DELIVERY_QUEUE,
        owner,
        concurrency: AT_ONCE,
        maxAttempts: MAX_ATTEMPTS + 1,
        signal,
        now,
        handle: ({ key }, stopping) => deliver(sending, key, stopping),
      }),
  };
  const cleaning: Job = {
    id: 'alert-history',
    title: 'Retention of the history of alerts',
    schedule: { everyMs: 6 * 3_600_000 },
    async run({ now }) {
      const removed = await metadata.alerts.prune(now() - KEPT_MS);
      return {
        removed: removed + (await metadata.work.remove(DELIVERY_QUEUE, { finishedBefore: now() - KEPT_MS })),
      };
    },
  };
  return [evaluation, delivery, cleaning];
}
