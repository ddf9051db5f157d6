import type { RouteDeclaration } from '../route.ts';
import { ANALYSIS_ROUTES } from './analysis.ts';
import { CHAT_CONFIG_ROUTES } from './config.ts';
import { CONVERSATION_ROUTES } from './conversations.ts';
import { describeSql, executeSql } from './sql.ts';
import { CHAT_USAGE_ROUTES } from './usage.ts';

export * from './analysis.ts';
export * from './config.ts';
export * from './conversations.ts';
export * from './sql.ts';
export * from './usage.ts';

/** Every route of the assistant. */
export const CHAT_ROUTES = {
  executeSql,
  describeSql,
  ...CHAT_CONFIG_ROUTES,
  ...CONVERSATION_ROUTES,
  ...CHAT_USAGE_ROUTES,
  ...ANALYSIS_ROUTES,
} as const satisfies Record<string, RouteDeclaration>;
