export { createSqlQueries, SQL_LIMITS, type SqlAnswer, type SqlInput, type SqlQueries } from './execute.ts';
export { ALLOWED_FUNCTIONS } from './functions.ts';
export type { GatedSql } from './gate.ts';
export { SQL_TABLES, sqlColumns } from './prelude.ts';
export { SqlRefusal } from './refusal.ts';
export { ABOUT_COLUMNS, ABOUT_TABLES } from './about.ts';
