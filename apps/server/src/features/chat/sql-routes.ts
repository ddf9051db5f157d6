import type { Clock } from '@candela/kernel';
import {
  ABOUT_COLUMNS,
  ABOUT_TABLES,
  ALLOWED_FUNCTIONS,
  SQL_TABLES,
  sqlColumns,
  type SqlQueries,
} from '@candela/telemetry-store';
import type { Handlers } from '../../http/handlers.ts';
import { windowOf } from '../telemetry/service.ts';

/** Statements that people write. */
export function sqlHandlers(queries: SqlQueries, clock: Clock): Pick<Handlers, 'executeSql' | 'describeSql'> {
  return {
    executeSql: async ({ context, body, signal }) => {
      const { query, limit } = body;
      const { canonical: _, ...data } = await queries.execute(
        context,
        { query, limit, window: windowOf(body, clock) },
        signal,
      );
      return { data: { ...data, columns: [...data.columns], rows: data.rows.map((row) => [...row]) } };
    },
    describeSql: () =>
      Promise.resolve({
        data: {
          tables: SQL_TABLES.map((table) => ({
            name: table.name,
            about: ABOUT_TABLES[table.name] ?? '',
            columns: sqlColumns(table).map(({ name, type }) => ({
              name,
              type,
              about: ABOUT_COLUMNS[name] ?? '',
            })),
          })),
          functions: [...ALLOWED_FUNCTIONS].toSorted(),
        },
      }),
  };
}
