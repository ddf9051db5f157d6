import { createSqlQueries } from '@candela/telemetry-store';
import type { FeatureParts } from '../feature.ts';
import { createAnalyses } from './analysis.ts';
import { improve } from './improvement.ts';
import { chatHandlers } from './routes.ts';
import { createChat } from './service.ts';
import { sqlHandlers } from './sql-routes.ts';
import { usageOf } from './usage.ts';
import { saveSqlWidget } from './widget.ts';

/** The assistant, statements, and what both cost. */
export function chatFeature(parts: FeatureParts) {
  const { reads, limits, clock, metadata } = parts;
  const sql = createSqlQueries(reads, limits);
  const chat = createChat(parts);
  const { settings } = chat;
  const { models } = parts;
  const analyses = createAnalyses({ metadata, models, settings });
  return {
    name: 'chat',
    handlers: {
      ...sqlHandlers(sql, clock),
      ...chatHandlers(chat),
      getChatUsage: ({ context, query }) => usageOf({ metadata, clock }, context, query),
      getAnalysis: async (input) => {
        const { context, params, query, signal } = input;
        const call = chat.callsOf(input, signal);
        return { data: await analyses.list(context, call, params.spanId, query.scope) };
      },
      runAnalysis: async (input) => {
        const { context, params, query, signal } = input;
        const call = chat.callsOf(input, signal);
        return { events: await analyses.run(context, call, params.spanId, query.scope, signal) };
      },
      improvePrompt: async ({ context, body, signal }) => ({
        data: await improve({ models, settings }, context, body, signal),
      }),
      saveChatWidget: async ({ context, body, signal }) => ({
        data: await saveSqlWidget({ metadata, sql }, context, body, signal),
      }),
    },
    stop: () => chat.close(),
  } satisfies import('../feature.ts').Feature;
}
