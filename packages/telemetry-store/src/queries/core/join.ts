/** How rows of a rollup that belong together become one: each figure by the function of its column. */
export interface Join {
  readonly min: (sql: string) => string;
  readonly max: (sql: string) => string;
  readonly sum: (sql: string) => string;
}

/** Of any number of rows, for a statement that groups them. */
export const JOINED: Join = {
  min: (sql) => `min(${sql})`,
  max: (sql) => `max(${sql})`,
  sum: (sql) => `sum(${sql})`,
};

/** Of a single row, which needs no joining. */
export const SINGLE: Join = { min: (sql) => sql, max: (sql) => sql, sum: (sql) => sql };
