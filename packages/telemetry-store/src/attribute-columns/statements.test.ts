import { describe, expect, it } from 'vitest';
import { addColumns, dropColumns, fillColumns } from './statements.ts';

const ONE = { database: 'candela', cluster: undefined, storage: 'embedded' } as const;
const CLUSTER = { database: 'telemetry', cluster: 'main', storage: 'server' } as const;
const NEW = {
  map: 'SpanAttributes',
  key: "it's } ; ${x}",
  column: 'Attribute_a',
  type: 'LowCardinality(String)',
} as const;

describe('statements that change columns', () => {
  it('of one server name its table; the key is bound', () => {
    const other = { map: 'ResourceAttributes', key: 'b', column: 'Resource_b', type: 'String' } as const;
    expect(addColumns(ONE, 'otel_traces', [NEW, other])).toEqual([
      {
        sql: 'ALTER TABLE `candela`.`otel_traces` ADD COLUMN IF NOT EXISTS Attribute_a LowCardinality(String) MATERIALIZED SpanAttributes[{key0:String}], ADD COLUMN IF NOT EXISTS Resource_b String MATERIALIZED ResourceAttributes[{key1:String}] CODEC(LZ4)',
        params: { key0: NEW.key, key1: 'b' },
      },
    ]);
    expect(fillColumns(ONE, 'otel_traces', ['Attribute_a', 'Resource_b'], undefined).sql).toBe(
      'ALTER TABLE `candela`.`otel_traces` MATERIALIZE COLUMN Attribute_a, MATERIALIZE COLUMN Resource_b SETTINGS mutations_sync = 0',
    );
    expect(dropColumns(ONE, 'otel_traces', ['Attribute_a', 'Attribute_b']).map(({ sql }) => sql)).toEqual([
      'ALTER TABLE `candela`.`otel_traces` DROP COLUMN IF EXISTS Attribute_a, DROP COLUMN IF EXISTS Attribute_b SETTINGS alter_sync = 0, mutations_sync = 0',
    ]);
  });

  it('of a cluster change the tables with the rows before those that read them, and take away the other way round', () => {
    const tables = (statements: readonly { sql: string }[]) =>
      statements.map(({ sql }) => /^ALTER TABLE (\S+ ON CLUSTER \S+)/.exec(sql)?.[1]);
    const both = [
      '`telemetry`.`otel_traces_local` ON CLUSTER `main`',
      '`telemetry`.`otel_traces` ON CLUSTER `main`',
    ];
    expect(tables(addColumns(CLUSTER, 'otel_traces', [NEW]))).toEqual(both);
    expect(
      addColumns(CLUSTER, 'otel_traces', [{ ...NEW, type: 'String' }]).map(({ sql }) =>
        sql.includes('CODEC'),
      ),
    ).toEqual([true, false]);
    expect(tables(dropColumns(CLUSTER, 'otel_traces', ['Attribute_a']))).toEqual(both.toReversed());
    expect(tables([fillColumns(CLUSTER, 'otel_traces', ['Attribute_a'], undefined)])).toEqual([both[0]]);
  });

  it('fill the partitions that are named, whatever they are called', () => {
    expect(fillColumns(ONE, 'otel_logs', ['Attribute_a'], ['30-20261122', "x'; DROP"]).sql).toBe(
      "ALTER TABLE `candela`.`otel_logs` MATERIALIZE COLUMN Attribute_a IN PARTITION ID '30-20261122', MATERIALIZE COLUMN Attribute_a IN PARTITION ID 'xDROP' SETTINGS mutations_sync = 0",
    );
  });
});
