import type { Logger } from '@candela/kernel';
import type { MigrationTarget } from '../migrations/template.ts';
import type { KeptStore } from './kept-store.ts';
import type { KnownColumns } from './known.ts';
import type { Ledger } from './ledger.ts';
import { type AttributeKey, columnName } from './names.ts';
import {
  addColumns,
  type ColumnType,
  dropColumn,
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

/** Why keys get columns, as it is written down, and as the log says it. */
const REASONS = {
  added: 'a column was added for an attribute that is asked for',
  common: 'a column was added for an attribute that many rows have',
} as const;

/** Adds, fills and drops the columns of keys. What is begun is written down before, so that others can go on. */
export class ColumnChanges {
  readonly #parts: ChangeParts;

  constructor(parts: ChangeParts) {
    this.#parts = parts;
  }

  async add(
    attributes: readonly (AttributeKey & { readonly type: ColumnType })[],
    why: keyof typeof REASONS,
  ): Promise<void> {
    const { store, target, ledger, logger } = this.#parts;
    await ledger.note(why, attributes);
    for (const [table, own] of byTable(attributes)) {
      const columns = own.flatMap((attribute): NewColumn[] => {
        const column = columnName(attribute);
        return column === undefined ? [] : [{ ...attribute, column }];
      });
      for (const statement of addColumns(target, table, columns)) await store.run(statement);
      for (const { column } of columns) logger.info({ table, column }, REASONS[why]);
    }
    await this.fill(attributes);
  }

  /** All columns of a table by one statement, so that the map is read once. */
  async fill(attributes: readonly AttributeKey[]): Promise<void> {
    const { store, target, ledger } = this.#parts;
    for (const [table, own] of byTable(attributes)) {
      const columns = own.flatMap((attribute) => columnName(attribute) ?? []);
      const partitions = await this.#partitions(table);
      if (partitions?.length !== 0) await store.run(fillColumns(target, table, columns, partitions));
    }
    await ledger.note('filled', attributes);
  }

  async drop(attribute: AttributeKey): Promise<void> {
    const { store, target, ledger, known, logger } = this.#parts;
    const column = columnName(attribute);
    // Work in the background may still read it.
    if (column === undefined || known.isBusy(attribute.table)) return;
    await ledger.note('dropped', [attribute]);
    known.forget();
    for (const statement of dropColumn(target, attribute.table, column)) await store.run(statement);
    logger.info({ table: attribute.table, column }, 'the column of an attribute was dropped');
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

function byTable<T extends AttributeKey>(attributes: readonly T[]): Map<string, T[]> {
  return Map.groupBy(attributes, ({ table }) => table);
}
