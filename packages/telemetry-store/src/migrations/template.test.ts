import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROLLUPS } from '../rollups/index.ts';
import { ATTRIBUTE_COLUMNS } from '../schema/attribute-columns.ts';
import { HOST_SQL } from '../schema/host-points.ts';
import { METRIC_KINDS, seriesIdSql } from '../schema/series-id.ts';
import { TABLES } from '../schema/tables.ts';
import { loadMigrations } from './load.ts';
import { type MigrationTarget, renderMigration } from './template.ts';

const ONE: MigrationTarget = { database: 'candela', cluster: undefined, storage: 'embedded' };
const CLUSTER: MigrationTarget = { database: 'telemetry', cluster: 'main', storage: 'server' };

const all = (target: MigrationTarget): string =>
  loadMigrations()
    .flatMap(({ template }) => renderMigration(template, target))
    .map((statement) => `${statement};\n`)
    .join('\n');

describe('migration templates', () => {
  it.each([
    ['embedded', ONE],
    ['cluster', CLUSTER],
  ] as const)('%s statements are the golden ones', (name, target) => {
    const golden = new URL(`./golden/${name}.sql`, import.meta.url);
    const actual = all(target);
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(golden, actual);
    expect(actual).toBe(readFileSync(golden, 'utf8'));
  });

  it('a cluster gets a replicated local table and a distributed one for each table', () => {
    const statements = loadMigrations().flatMap(({ template }) => renderMigration(template, CLUSTER));
    const tables = statements.filter((statement) => statement.startsWith('CREATE TABLE'));
    expect(tables.every((statement) => statement.includes('ON CLUSTER `main`'))).toBe(true);
    const names = [...TABLES, ...ROLLUPS].map(({ name }) => name);
    for (const name of names) {
      const made = (table: string) =>
        tables.filter((statement) =>
          statement.startsWith(`CREATE TABLE IF NOT EXISTS \`telemetry\`.\`${table}\``),
        );
      expect(made(`${name}_local`).join()).toMatch(/ENGINE = Replicated(Aggregating)?MergeTree\(/);
      expect(made(name).join()).toContain('ENGINE = Distributed(');
    }
    // What processes write down for each other is the same on every node.
    expect(tables.filter((statement) => statement.includes("'/clickhouse/tables/all/"))).toHaveLength(3);
    expect(tables).toHaveLength(names.length * 2 + 3);
  });

  it('has every table know the tokens of inserts for as long as they may be repeated', () => {
    const tables = (target: MigrationTarget, settings: RegExp): number =>
      loadMigrations()
        .flatMap(({ template }) => renderMigration(template, target))
        .filter((statement) => settings.test(statement)).length;
    const made = TABLES.length + ROLLUPS.length;
    // Both bounds count: the seconds are an hour unless they are named.
    const both = /replicated_deduplication_window = 20000, replicated_deduplication_window_seconds = 2592000/;
    expect(tables(CLUSTER, both)).toBe(made);
    expect(tables(ONE, /non_replicated_deduplication_window = 20000/)).toBe(made);
  });

  it('gives the points of metrics the series number that the rollup of series has', () => {
    for (const kind of METRIC_KINDS) {
      expect(all(ONE)).toContain(`\`SeriesId\` UInt64 MATERIALIZED ${seriesIdSql(kind)}`);
    }
    expect(all(ONE)).toContain(`\`Host\` LowCardinality(String) MATERIALIZED ${HOST_SQL}`);
  });

  it('gives the spans a column for each attribute that has one', () => {
    for (const [key, column] of ATTRIBUTE_COLUMNS) {
      expect(all(ONE)).toContain(
        `\`${column}\` LowCardinality(String) MATERIALIZED SpanAttributes['${key}']`,
      );
    }
  });

  it('drops comments and keeps semicolons inside a line', () => {
    expect(renderMigration("-- note; with semicolon\nSELECT ';' AS x;\n\nSELECT 2;", ONE)).toEqual([
      "SELECT ';' AS x",
      'SELECT 2',
    ]);
  });

  it('refuses unknown placeholders and names that are none', () => {
    expect(() => renderMigration('${nope};', ONE)).toThrow(/nope/);
    expect(() => renderMigration('${database};', { ...ONE, database: 'a`b' })).toThrow(/not a name/);
    expect(() => renderMigration('${on_cluster};', { ...CLUSTER, cluster: "x' --" })).toThrow(/not a name/);
  });
});
