import { fail } from '@candela/kernel';
import type { Selectable } from 'kysely';
import type { ExceptionTriageTable } from '../tables/exception-triage.ts';
import type { Access } from './access.ts';

type TriageStatus = 'open' | 'resolved' | 'ignored';

/** What was decided about a group of exceptions. Times are epoch milliseconds. */
export interface StoredTriage {
  readonly fingerprint: string;
  readonly status: TriageStatus;
  readonly assignee: string | null;
  readonly statusAt: number;
  readonly changedBy: string | null;
  readonly changedAt: number;
}

/** Groups of one project that are not simply open and nobody's; each is a value of every list by status. */
const MOST_OF_PROJECT = 2_000;

export interface ExceptionTriage {
  list(projectId: string): Promise<StoredTriage[]>;
  /** Undefined fields stay. @throws refused when the project has its fill */
  set(
    projectId: string,
    fingerprint: string,
    change: { status?: TriageStatus | undefined; assignee?: string | null | undefined; by: string | null },
  ): Promise<StoredTriage>;
}

const toTriage = (row: Selectable<ExceptionTriageTable>): StoredTriage => ({
  fingerprint: row.fingerprint,
  status: row.status as TriageStatus,
  assignee: row.assignee,
  statusAt: row.status_at,
  changedBy: row.changed_by,
  changedAt: row.changed_at,
});

export function exceptionTriage({ database, clock }: Access): ExceptionTriage {
  return {
    async list(projectId) {
      const rows = await database
        .selectFrom('exception_triage')
        .selectAll()
        .where('project_id', '=', projectId)
        .orderBy('changed_at', 'desc')
        .limit(MOST_OF_PROJECT)
        .execute();
      return rows.map(toTriage);
    },

    async set(projectId, fingerprint, { status, assignee, by }) {
      const own = await database
        .selectFrom('exception_triage')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('fingerprint', '=', fingerprint)
        .executeTakeFirst();
      const now = clock.now();
      const row = {
        status: status ?? own?.status ?? 'open',
        assignee: assignee === undefined ? (own?.assignee ?? null) : assignee,
        status_at: status === undefined ? (own?.status_at ?? now) : now,
        changed_by: by,
        changed_at: now,
      };
      if (own !== undefined) {
        await database
          .updateTable('exception_triage')
          .set(row)
          .where('project_id', '=', projectId)
          .where('fingerprint', '=', fingerprint)
          .execute();
      } else {
        const { n } = await database
          .selectFrom('exception_triage')
          .select(({ fn }) => fn.countAll<number>().as('n'))
          .where('project_id', '=', projectId)
          .executeTakeFirstOrThrow();
        if (Number(n) >= MOST_OF_PROJECT)
          throw fail('refused', {
            detail: `The project has decisions about ${MOST_OF_PROJECT} groups of exceptions already. Filter ignored ones out where they are sent, or reopen some.`,
          });
        await database
          .insertInto('exception_triage')
          .values({ project_id: projectId, fingerprint, ...row })
          .execute();
      }
      // One that is open and nobody's is as if nobody had touched it.
      if (row.status === 'open' && row.assignee === null)
        await database
          .deleteFrom('exception_triage')
          .where('project_id', '=', projectId)
          .where('fingerprint', '=', fingerprint)
          .execute();
      return toTriage({ project_id: projectId, fingerprint, ...row });
    },
  };
}
