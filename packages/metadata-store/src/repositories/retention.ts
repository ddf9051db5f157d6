import type { Access } from './access.ts';

export interface StoredRetention {
  readonly projectId: string;
  readonly signal: string;
  readonly days: number;
}

/** Days that projects chose; what a project did not choose is not here. */
export interface ProjectRetention {
  all(): Promise<StoredRetention[]>;
  /** Null: back to the default. */
  set(projectId: string, days: ReadonlyMap<string, number | null>): Promise<void>;
}

export function retention({ database, clock }: Access): ProjectRetention {
  return {
    all: async () =>
      (
        await database
          .selectFrom('project_retention')
          .select(['project_id', 'signal', 'days'])
          .orderBy('project_id')
          .orderBy('signal')
          .execute()
      ).map((row) => ({ projectId: row.project_id, signal: row.signal, days: row.days })),
    async set(projectId, days) {
      for (const [signal, chosen] of days) {
        await database
          .deleteFrom('project_retention')
          .where('project_id', '=', projectId)
          .where('signal', '=', signal)
          .execute();
        if (chosen === null) continue;
        await database
          .insertInto('project_retention')
          .values({ project_id: projectId, signal, days: chosen, updated_at: clock.now() })
          .execute();
      }
    },
  };
}
