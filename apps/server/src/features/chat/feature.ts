import { createSqlQueries } from '@candela/telemetry-store';
import type { FeatureParts } from '../feature.ts';
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
  return {
    name: 'chat',
    handlers: {
      ...sqlHandlers(sql, clock),
      ...chatHandlers(chat),
      getChatUsage: ({ context, query }) => usageOf({ metadata, clock }, context, query),
      saveChatWidget: async ({ context, body, signal }) => ({
        data: await saveSqlWidget({ metadata, sql }, context, body, signal),
      }),
    },
    stop: () => chat.close(),
  } satisfies import('../feature.ts').Feature;
}
