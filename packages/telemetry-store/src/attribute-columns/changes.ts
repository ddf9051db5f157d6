import type { Logger } from '@candela/kernel';
import type { MigrationTarget } from '../migrations/template.ts';
import type { KeptStore } from './kept-store.ts';
import type { KnownColumns } from './known.ts';
import type { Ledger } from './ledger.ts';
import { type AttributeKey, columnName } from './names.ts';
import { columnsOf, notedAs, type RestColumn } from './rest.ts';
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

/** Why keys get columns, as it is written down, and as the log says it. */
const REASONS = {
  added: 'a column was added for an attribute that is asked for',
  common: 'a column was added for an attribute that many rows have',
} as const;
const REST_REASON = 'a column was added for the attributes besides the widest and those with columns';

/** Adds, fills and drops the columns of keys and the rests of maps. What is begun is written down before, so that others can go on. */
export class ColumnChanges {
  readonly #parts: ChangeParts;

  constructor(parts: ChangeParts) {
    this.#parts = parts;
  }

  /** @param rests of maps, which come together with keys, so that a map is read once */
  async add(
    attributes: readonly (AttributeKey & { readonly type: ColumnType })[],
    why: keyof typeof REASONS,
    rests: readonly RestColumn[] = [],
  ): Promise<void> {
    const { store, target, ledger, logger } = this.#parts;
    await ledger.note(why, [...attributes, ...rests.map(notedAs)]);
    for (const table of tablesOf(attributes, rests)) {
      const columns = attributes.filter(isOf(table)).flatMap((attribute): NewColumn[] => {
        const column = columnName(attribute);
        return column === undefined ? [] : [{ ...attribute, column }];
      });
      const own = rests.filter(isOf(table));
      for (const statement of addColumns(target, table, columns, own)) await store.run(statement);
      for (const { column } of columns) logger.info({ table, column }, REASONS[why]);
      for (const { map, column } of own) logger.info({ table, map, column }, REST_REASON);
    }
    await this.fill(attributes, rests);
  }

  /** All columns of a table by one statement, so that the map is read once. */
  async fill(attributes: readonly AttributeKey[], rests: readonly RestColumn[] = []): Promise<void> {
    const { store, target, ledger } = this.#parts;
    for (const table of tablesOf(attributes, rests)) {
      const columns = [
        ...attributes.filter(isOf(table)).flatMap((attribute) => columnName(attribute) ?? []),
        ...rests.filter(isOf(table)).flatMap((rest) => Object.values(columnsOf(rest))),
      ];
      const partitions = await this.#partitions(table);
      if (partitions?.length !== 0) await store.run(fillColumns(target, table, columns, partitions));
    }
    await ledger.note('filled', [...attributes, ...rests.map(notedAs)]);
  }

  async drop(attribute: AttributeKey): Promise<void> {
    const column = columnName(attribute);
    if (column !== undefined) await this.#drop(attribute, attribute.table, [column]);
  }

  async dropRest(rest: RestColumn): Promise<void> {
    await this.#drop(notedAs(rest), rest.table, Object.values(columnsOf(rest)));
  }

  async #drop(noted: AttributeKey, table: string, columns: readonly string[]): Promise<void> {
    const { store, target, ledger, known, logger } = this.#parts;
    // Work in the background may still read it.
    if (known.isBusy(table)) return;
    await ledger.note('dropped', [noted]);
    known.forget();
    for (const statement of dropColumns(target, table, columns)) await store.run(statement);
    for (const column of columns) logger.info({ table, column }, 'a column of attributes was dropped');
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

const tablesOf = (...all: readonly (readonly OfTable[])[]): string[] => [
  ...new Set(all.flat().map(({ table }) => table)),
];

const isOf =
  (wanted: string) =>
  ({ table }: OfTable): boolean =>
    table === wanted;
