import type { Logger } from '@candela/kernel';
import type { MigrationTarget } from '../migrations/template.ts';
import type { KeptStore } from './kept-store.ts';
import type { KnownColumns } from './known.ts';
import type { Ledger } from './ledger.ts';
import { type AttributeKey, columnName } from './names.ts';
import {
  addColumns,
  type ColumnType,
  dropColumns,
  fillColumns,
  heldIn,
  type NewColumn,
  PARTITIONS_SQL,
} from './statements.ts';

export interface ChangeParts {
  readonly store: KeptStore;
  readonly target: MigrationTarget;
  readonly ledger: Ledger;
  readonly known: KnownColumns;
  readonly maxFillBytes: number;
  readonly logger: Logger;
}

/** Adds, fills and drops the columns of keys. What is begun is written down before, so that others can go on. */
export class ColumnChanges {
  readonly #parts: ChangeParts;

  constructor(parts: ChangeParts) {
    this.#parts = parts;
  }

  async add(attributes: readonly (AttributeKey & { readonly type: ColumnType })[]): Promise<void> {
    const { store, target, ledger, logger } = this.#parts;
    await ledger.note('added', attributes);
    for (const table of tablesOf(attributes)) {
      const columns = attributes.filter(isOf(table)).flatMap((attribute): NewColumn[] => {
        const column = columnName(attribute);
        return column === undefined ? [] : [{ ...attribute, column }];
      });
      for (const statement of addColumns(target, table, columns)) await store.run(statement);
      for (const { column } of columns)
        logger.info({ table, column }, 'a column was added for an attribute that is asked for');
    }
    await this.fill(attributes);
  }

  /** All columns of a table by one statement, so that the map is read once. */
  async fill(attributes: readonly AttributeKey[]): Promise<void> {
    const { store, target, ledger } = this.#parts;
    for (const table of tablesOf(attributes)) {
      const columns = attributes.filter(isOf(table)).flatMap((attribute) => columnName(attribute) ?? []);
      const partitions = await this.#partitions(table);
      if (partitions?.length !== 0) await store.run(fillColumns(target, table, columns, partitions));
    }
    await ledger.note('filled', attributes);
  }

  async drop(attribute: AttributeKey): Promise<void> {
    const { store, target, ledger, known, logger } = this.#parts;
    const { table } = attribute;
    const column = columnName(attribute);
    // Work in the background may still read it.
    if (column === undefined || known.isBusy(table)) return;
    await ledger.note('dropped', [attribute]);
    known.forget();
    for (const statement of dropColumns(target, table, [column])) await store.run(statement);
    logger.info({ table, column }, 'a column of attributes was dropped');
  }

  /** The newest partitions that are filled; undefined when all of them are. */
  async #partitions(table: string): Promise<string[] | undefined> {
    const { store, target, maxFillBytes } = this.#parts;
    const all = await store.select<{ Id: string; Bytes: number }>(PARTITIONS_SQL, {
      table: heldIn(target, table),
    });
    let bytes = 0;
    const within = all.filter((partition) => {
      bytes += Number(partition.Bytes);
      return bytes <= maxFillBytes;
    });
    return within.length === all.length ? undefined : within.map(({ Id }) => Id);
  }
}

type OfTable = Pick<AttributeKey, 'table'>;

const tablesOf = (keys: readonly OfTable[]): string[] => [...new Set(keys.map(({ table }) => table))];

const isOf =
  (wanted: string) =>
  ({ table }: OfTable): boolean =>
    table === wanted;
