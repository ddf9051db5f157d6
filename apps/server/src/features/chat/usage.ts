import type { QueryOf, ResponseOf, ROUTES, UsageFigures } from '@candela/contract';
import { type Clock, fail, type RequestContext } from '@candela/kernel';
import type { MetadataStore, UsageRow } from '@candela/metadata-store';
import { momentOf } from '../telemetry/service.ts';

const DAY_MS = 86_400_000;
const DAYS = { '24H': 1, '7D': 7, '1M': 30, '3M': 90 } as const;
const MOST_ROWS = 1_000;

const figures = (row: UsageRow): UsageFigures => ({
  calls: row.calls,
  failed: row.failed,
  inputTokens: row.input,
  cacheReadTokens: row.cacheRead,
  cacheWriteTokens: row.cacheWrite,
  outputTokens: row.output,
  reasoningTokens: row.reasoning,
  costUsd: row.costUsd,
  unpricedCalls: row.unpriced,
  unknownCalls: row.unknown,
});

/** What calls of models used, summed in the database. @throws bad_query */
export async function usageOf(
  { metadata, clock }: { readonly metadata: Pick<MetadataStore, 'llmUsage'>; readonly clock: Clock },
  { projectId }: RequestContext,
  query: QueryOf<typeof ROUTES.getChatUsage>,
): Promise<ResponseOf<typeof ROUTES.getChatUsage>> {
  const isCustom = query.window === 'CUSTOM';
  const to = query.to === undefined ? clock.now() + 1 : momentOf('to', query.to, clock);
  const days = query.window === 'CUSTOM' ? 0 : DAYS[query.window];
  const from =
    isCustom && query.from !== undefined ? momentOf('from', query.from, clock) : to - days * DAY_MS;
  if (from >= to) throw fail('bad_query', { detail: '"from" must lie before "to".' });
  const by = query.groupBy.map((group) => (group === 'date' ? ('day' as const) : group));
  const during = { from, to, where: query.where };
  const [rows, [totals]] = await Promise.all([
    metadata.llmUsage.sums(projectId, { ...during, by, limit: MOST_ROWS + 1 }),
    metadata.llmUsage.sums(projectId, { ...during, by: [], limit: 1 }),
  ]);
  if (totals === undefined) throw new Error('A sum without groups has one row.');
  return {
    data: {
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      totals: figures(totals),
      rows: rows.slice(0, MOST_ROWS).map((row) => ({
        ...figures(row),
        feature: row.feature,
        provider: row.provider,
        model: row.model,
        date: row.day === null ? null : new Date(row.day * DAY_MS).toISOString().slice(0, 10),
      })),
      truncated: rows.length > MOST_ROWS,
    },
  };
}
