import type { Access } from './access.ts';

/** An AI analysis as it is kept. `body` is JSON. Times are epoch milliseconds. */
export interface StoredAnalysis {
  readonly id: string;
  readonly rootSpanId: string;
  readonly selectedSpanId: string;
  readonly scope: string;
  readonly runNumber: number;
  readonly body: unknown;
  readonly createdBy: string;
  readonly createdAt: number;
}

/** Runs that are kept of one trace or span: the newest. */
const KEPT_RUNS = 50;

type Subject = Pick<StoredAnalysis, 'rootSpanId' | 'selectedSpanId' | 'scope'>;

export interface ChatAnalyses {
  /** The oldest first. Of a trace: whatever span was selected. */
  list(projectId: string, subject: Subject): Promise<StoredAnalysis[]>;
  /** Call within `change`: the number is one more than the highest. */
  add(
    projectId: string,
    analysis: Subject & Pick<StoredAnalysis, 'body' | 'createdBy'>,
  ): Promise<StoredAnalysis>;
}

export function chatAnalyses({ quiet, clock }: Access): ChatAnalyses {
  const rows = (projectId: string, { rootSpanId, selectedSpanId, scope }: Subject) => {
    const query = quiet
      .selectFrom('chat_analyses')
      .where('project_id', '=', projectId)
      .where('root_span_id', '=', rootSpanId)
      .where('scope', '=', scope);
    return scope === 'span' ? query.where('selected_span_id', '=', selectedSpanId) : query;
  };
  return {
    async list(projectId, subject) {
      const found = await rows(projectId, subject)
        .selectAll()
        .orderBy('run_number', 'desc')
        .limit(KEPT_RUNS)
        .execute();
      return found.toReversed().map((row) => ({
        id: row.id,
        rootSpanId: row.root_span_id,
        selectedSpanId: row.selected_span_id,
        scope: row.scope,
        runNumber: row.run_number,
        body: JSON.parse(row.body) as unknown,
        createdBy: row.created_by,
        createdAt: row.created_at,
      }));
    },

    async add(projectId, analysis) {
      const newest = await rows(projectId, analysis)
        .select(({ fn }) => fn.max('run_number').as('newest'))
        .executeTakeFirst();
      const runNumber = Number(newest?.newest ?? 0) + 1;
      const { rootSpanId, selectedSpanId, scope, body, createdBy } = analysis;
      const id = crypto.randomUUID();
      const createdAt = clock.now();
      await quiet
        .insertInto('chat_analyses')
        .values({
          id,
          project_id: projectId,
          root_span_id: rootSpanId,
          selected_span_id: selectedSpanId,
          scope,
          run_number: runNumber,
          body: JSON.stringify(body),
          created_by: createdBy,
          created_at: createdAt,
        })
        .execute();
      return { id, rootSpanId, selectedSpanId, scope, runNumber, body, createdBy, createdAt };
    },
  };
}
