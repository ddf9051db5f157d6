import { textParam } from '../../lib/search-params.ts';

/** What the page of statements has in its address. */
export const validateSqlSearch = (raw: Record<string, unknown>): { sql?: string | undefined } => ({
  sql: textParam(raw, 'sql', 8_192),
});
