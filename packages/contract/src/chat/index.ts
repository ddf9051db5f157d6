import type { RouteDeclaration } from '../route.ts';
import { describeSql, executeSql } from './sql.ts';

export * from './sql.ts';

/** Every route of the assistant. */
export const CHAT_ROUTES = { executeSql, describeSql } as const satisfies Record<string, RouteDeclaration>;
