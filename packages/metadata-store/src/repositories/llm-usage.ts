import type { Selectable } from 'kysely';
import type { LlmUsageTable } from '../tables/llm-usage.ts';
import type { Access } from './access.ts';

/** Disjoint classes: input without cache, output without reasoning. */
export interface UsedTokens {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
}

/** One call of a model. `startedAt` is epoch milliseconds. */
export interface LlmUsage {
  readonly feature: string;
  readonly provider: string;
  readonly model: string;
  readonly modelId: string | null;
  readonly projectId: string;
  readonly environment: string | null;
  readonly principal: string;
  readonly refId: string | null;
  /** Null: the provider did not say. */
  readonly usage: UsedTokens | null;
  readonly costUsd: number | null;
  readonly status: 'ok' | 'failed' | 'cancelled';
  readonly errorCode: string | null;
  readonly startedAt: number;
  readonly durationMs: number;
}

export interface LlmUsageFilter {
  readonly feature?: string | undefined;
  readonly refId?: string | undefined;
  /** Epoch milliseconds, inclusive and exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface LlmUsages {
  append(row: LlmUsage): Promise<void>;
  /** US dollars that a feature of a project has cost since a time, where prices are known. */
  spentUsd(projectId: string, feature: string, since: number): Promise<number>;
  /** Newest first. */
  list(projectId: string, filter: LlmUsageFilter & { readonly limit: number }): Promise<LlmUsage[]>;
  /** Removes rows from before a time; returns how many. */
  prune(before: number): Promise<number>;
}

const NANO = 1e9;

const toUsage = (row: Selectable<LlmUsageTable>): LlmUsage => ({
  feature: row.feature,
  provider: row.provider,
  model: row.model,
  modelId: row.model_id,
  projectId: row.project_id,
  environment: row.environment,
  principal: row.principal,
  refId: row.ref_id,
  usage:
    row.input_tokens === null
      ? null
      : {
          input: row.input_tokens,
          cacheRead: row.cache_read_tokens ?? 0,
          cacheWrite: row.cache_write_tokens ?? 0,
          output: row.output_tokens ?? 0,
          reasoning: row.reasoning_tokens ?? 0,
        },
  costUsd: row.cost_nano_usd === null ? null : row.cost_nano_usd / NANO,
  status: row.status as LlmUsage['status'],
  errorCode: row.error_code,
  startedAt: row.started_at,
  durationMs: row.duration_ms,
});

export function llmUsage({ quiet }: Access): LlmUsages {
  return {
    async append(row) {
      const { usage } = row;
      await quiet
        .insertInto('llm_usage')
        .values({
          id: crypto.randomUUID(),
          feature: row.feature,
          provider: row.provider,
          model: row.model,
          model_id: row.modelId,
          project_id: row.projectId,
          environment: row.environment,
          principal: row.principal,
          ref_id: row.refId,
          input_tokens: usage?.input ?? null,
          cache_read_tokens: usage?.cacheRead ?? null,
          cache_write_tokens: usage?.cacheWrite ?? null,
          output_tokens: usage?.output ?? null,
          reasoning_tokens: usage?.reasoning ?? null,
          cost_nano_usd: row.costUsd === null ? null : Math.round(row.costUsd * NANO),
          status: row.status,
          error_code: row.errorCode,
          started_at: row.startedAt,
          duration_ms: Math.round(row.durationMs),
        })
        .execute();
    },

    async spentUsd(projectId, feature, since) {
      const row = await quiet
        .selectFrom('llm_usage')
        .select(({ fn }) => fn.sum<number | string | null>('cost_nano_usd').as('spent'))
        .where('project_id', '=', projectId)
        .where('feature', '=', feature)
        .where('started_at', '>=', since)
        .executeTakeFirst();
      return Number(row?.spent ?? 0) / NANO;
    },

    async list(projectId, { feature, refId, from, to, limit }) {
      let query = quiet
        .selectFrom('llm_usage')
        .selectAll()
        .where('project_id', '=', projectId)
        .orderBy('started_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit);
      if (feature !== undefined) query = query.where('feature', '=', feature);
      if (refId !== undefined) query = query.where('ref_id', '=', refId);
      if (from !== undefined) query = query.where('started_at', '>=', from);
      if (to !== undefined) query = query.where('started_at', '<', to);
      return (await query.execute()).map(toUsage);
    },

    async prune(before) {
      const result = await quiet.deleteFrom('llm_usage').where('started_at', '<', before).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}
