import { type RawBuilder, type Selectable, sql } from 'kysely';
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

/** Sums of one group. Parts that were not asked for are null. */
export interface UsageRow extends UsedTokens {
  readonly feature: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  /** Days since 1970 in UTC. */
  readonly day: number | null;
  readonly calls: number;
  readonly failed: number;
  readonly costUsd: number;
  /** Calls with usage and without a price. */
  readonly unpriced: number;
  /** Calls that answered without usage. */
  readonly unknown: number;
}

/** Values that columns may have; all that are given must hold. */
type UsageWhere = Readonly<Partial<Record<'provider' | 'model' | 'environment', readonly string[]>>>;
type UsagePart = 'feature' | 'provider' | 'model' | 'day';

export interface LlmUsages {
  /** Sums by any of the parts, computed in the database; the dearest first. Without parts: one row. */
  sums(
    projectId: string,
    input: {
      readonly from: number;
      readonly to: number;
      readonly by: readonly UsagePart[];
      readonly limit: number;
      /** Of each column any of the values. */
      readonly where?: UsageWhere | undefined;
    },
  ): Promise<UsageRow[]>;
  append(row: LlmUsage): Promise<void>;
  /** US dollars that a feature of a project has cost since a time, where prices are known. */
  spentUsd(projectId: string, feature: string, since: number): Promise<number>;
  /** Calls of a feature of a project since a time that cost something which no price is known for: no cap counts them. */
  unpricedCalls(projectId: string, feature: string, since: number): Promise<number>;
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

    async sums(projectId, { from, to, by, limit, where }) {
      const columns: Record<UsagePart, RawBuilder<unknown>> = {
        feature: sql`feature`,
        provider: sql`provider`,
        model: sql`model`,
        day: sql`(started_at - started_at % 86400000) / 86400000`,
      };
      const total = (expression: RawBuilder<unknown>) => sql<number | string | null>`sum(${expression})`;
      let query = quiet
        .selectFrom('llm_usage')
        .select([
          ...by.map((part) => columns[part].as(part)),
          sql<number>`count(*)`.as('calls'),
          total(sql`case when status = 'failed' then 1 else 0 end`).as('failed'),
          total(sql`coalesce(input_tokens, 0)`).as('input'),
          total(sql`coalesce(cache_read_tokens, 0)`).as('cache_read'),
          total(sql`coalesce(cache_write_tokens, 0)`).as('cache_write'),
          total(sql`coalesce(output_tokens, 0)`).as('output'),
          total(sql`coalesce(reasoning_tokens, 0)`).as('reasoning'),
          total(sql`coalesce(cost_nano_usd, 0)`).as('cost'),
          total(sql`case when input_tokens is not null and cost_nano_usd is null then 1 else 0 end`).as(
            'unpriced',
          ),
          total(sql`case when input_tokens is null and status <> 'failed' then 1 else 0 end`).as('unknown'),
        ])
        .where('project_id', '=', projectId)
        .where('started_at', '>=', from)
        .where('started_at', '<', to);
      for (const column of ['provider', 'model', 'environment'] as const) {
        const values = where?.[column];
        if (values !== undefined) query = query.where(column, 'in', [...values]);
      }
      if (by.length > 0) query = query.groupBy(by.map((part) => columns[part]));
      const rows = await query.orderBy(sql`cost desc, calls desc`).limit(limit).execute();
      return rows.map((row) => {
        const parts = row as unknown as Partial<Record<UsagePart, string | number>>;
        const text = (part: 'feature' | 'provider' | 'model') =>
          parts[part] === undefined ? null : String(parts[part]);
        return {
          feature: text('feature'),
          provider: text('provider'),
          model: text('model'),
          day: parts.day === undefined ? null : Number(parts.day),
          calls: Number(row.calls),
          failed: Number(row.failed ?? 0),
          input: Number(row.input ?? 0),
          cacheRead: Number(row.cache_read ?? 0),
          cacheWrite: Number(row.cache_write ?? 0),
          output: Number(row.output ?? 0),
          reasoning: Number(row.reasoning ?? 0),
          costUsd: Number(row.cost ?? 0) / NANO,
          unpriced: Number(row.unpriced ?? 0),
          unknown: Number(row.unknown ?? 0),
        };
      });
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

    async unpricedCalls(projectId, feature, since) {
      const row = await quiet
        .selectFrom('llm_usage')
        .select(({ fn }) => fn.countAll<number | string>().as('calls'))
        .where('project_id', '=', projectId)
        .where('feature', '=', feature)
        .where('started_at', '>=', since)
        .where('input_tokens', 'is not', null)
        .where('cost_nano_usd', 'is', null)
        .executeTakeFirst();
      return Number(row?.calls ?? 0);
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
