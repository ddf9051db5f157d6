import type { StoreSnapshot, TelemetryStore } from '../client/types.ts';
import type { MigrationTarget } from '../migrations/template.ts';
import { type AttributeKey, keyOfColumn, keyText, LEARNED_TABLES } from './names.ts';
import { COLUMNS_SQL, heldIn, UNFINISHED_SQL } from './statements.ts';

export interface PresentColumn {
  readonly attribute: AttributeKey;
  readonly column: string;
  /** As the engine calls it. */
  readonly type: string;
}

/** The columns of keys that a store was last found to have. Another process may have changed them since. */
export class KnownColumns {
  readonly #target: MigrationTarget;
  #present: ReadonlyMap<string, PresentColumn> = new Map();
  #ready: ReadonlyMap<string, string> = new Map();
  #settled = true;
  #busy: ReadonlySet<string> = new Set();

  constructor(target: MigrationTarget) {
    this.#target = target;
  }

  /** All there are, by the text of their key. */
  get present(): ReadonlyMap<string, PresentColumn> {
    return this.#present;
  }

  /** True when none of them is being filled. */
  get settled(): boolean {
    return this.#settled;
  }

  /** Whether reads take the key from a column. */
  isRead(attribute: AttributeKey): boolean {
    return this.#ready.has(keyText(attribute));
  }

  /** Whether the engine works on a table in the background. */
  isBusy(table: string): boolean {
    return this.#busy.has(table);
  }

  async learn(select: TelemetryStore['select']): Promise<void> {
    const held = new Map(LEARNED_TABLES.map((table) => [heldIn(this.#target, table), table]));
    const [columns, work] = await Promise.all([
      select<{ TableName: string; Name: string; Type: string; Expression: string }>(COLUMNS_SQL, {
        tables: [...LEARNED_TABLES],
      }),
      select<{ TableName: string; Command: string }>(UNFINISHED_SQL, { tables: [...held.keys()] }),
    ]);
    const present = new Map<string, PresentColumn>();
    for (const { TableName, Name, Type, Expression } of columns) {
      const attribute = keyOfColumn(TableName, Name);
      // One that somebody made by hand of something else is none of ours.
      if (attribute === undefined || !Expression.startsWith(`${attribute.map}['`)) continue;
      present.set(keyText(attribute), { attribute, column: Name, type: Type });
    }
    const touched = new Set(
      work.flatMap(({ TableName, Command }) =>
        (Command.match(/\w+/g) ?? []).map((word) => `${held.get(TableName) ?? ''} ${word}`),
      ),
    );
    const isReady = (table: string, column: string): boolean => !touched.has(`${table} ${column}`);
    this.#present = present;
    this.#busy = new Set(work.map(({ TableName }) => held.get(TableName) ?? ''));
    this.#ready = new Map(
      [...present]
        .filter(([, { attribute, column }]) => isReady(attribute.table, column))
        .map(([text, { column }]) => [text, column]),
    );
    this.#settled = this.#ready.size === present.size;
  }

  /** The columns that reads may use now. */
  columns(): StoreSnapshot['columnOf'] {
    const ready = this.#ready;
    return (attribute) => ready.get(keyText(attribute));
  }

  /** Reads go to the maps until it is learned again. */
  forget(): void {
    this.#ready = new Map();
  }
}
