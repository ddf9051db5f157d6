import type { AttributeRead, TelemetryStore } from '../client/types.ts';
import type { MigrationTarget } from '../migrations/template.ts';
import { type AttributeKey, keyOfColumn, keyText, LEARNED_TABLES } from './names.ts';
import { columnsOf, type RestColumn, restOfColumn } from './rest.ts';
import { COLUMNS_SQL, heldIn, UNFINISHED_SQL } from './statements.ts';

export interface PresentColumn {
  readonly attribute: AttributeKey;
  readonly column: string;
  /** As the engine calls it. */
  readonly type: string;
}

/** The rest of a map that reads may use. */
interface ReadyRest extends Pick<RestColumn, 'table' | 'map' | 'column'> {
  readonly leftOut: ReadonlySet<string>;
}

const placeOf = ({ table, map }: Pick<AttributeKey, 'table' | 'map'>): string => `${table} ${map}`;

/** The columns of keys, and the rests of maps, that a store was last found to have. Another process may have changed them since. */
export class KnownColumns {
  readonly #target: MigrationTarget;
  #present: ReadonlyMap<string, PresentColumn> = new Map();
  #ready: ReadonlyMap<string, string> = new Map();
  #rests: readonly RestColumn[] = [];
  #readyRests: ReadonlyMap<string, ReadyRest> = new Map();
  #settled = true;
  #busy: ReadonlySet<string> = new Set();

  constructor(target: MigrationTarget) {
    this.#target = target;
  }

  /** All there are, by the text of their key. */
  get present(): ReadonlyMap<string, PresentColumn> {
    return this.#present;
  }

  get rests(): readonly RestColumn[] {
    return this.#rests;
  }

  /** True when none of them is being filled. */
  get settled(): boolean {
    return this.#settled;
  }

  /** Whether reads take the key from a column. */
  isRead(attribute: AttributeKey): boolean {
    return this.#ready.has(keyText(attribute));
  }

  /** Whether reads take the key, if it has no column, from the rest of its map. */
  isInRest(attribute: AttributeKey): boolean {
    return this.#restWith(attribute) !== undefined;
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
    const rests: RestColumn[] = [];
    const names = new Set(columns.map(({ TableName, Name }) => `${TableName} ${Name}`));
    for (const { TableName, Name, Type, Expression } of columns) {
      const rest = restOfColumn(TableName, Name, Expression);
      if (rest !== undefined && names.has(`${TableName} ${columnsOf(rest).values}`)) rests.push(rest);
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
    this.#rests = rests;
    this.#busy = new Set(work.map(({ TableName }) => held.get(TableName) ?? ''));
    this.#ready = new Map(
      [...present]
        .filter(([, { attribute, column }]) => isReady(attribute.table, column))
        .map(([text, { column }]) => [text, column]),
    );
    const ready = rests.filter((rest) =>
      Object.values(columnsOf(rest)).every((column) => isReady(rest.table, column)),
    );
    this.#readyRests = new Map(
      ready.map(({ leftOut, ...rest }) => [placeOf(rest), { ...rest, leftOut: new Set(leftOut) }]),
    );
    this.#settled = this.#ready.size === present.size && ready.length === rests.length;
  }

  /** The rest of a map that holds a key, if the map has one. */
  #restWith(read: AttributeKey): ReadyRest | undefined {
    const rest = this.#readyRests.get(placeOf(read));
    // As the engine is told it.
    return rest?.leftOut.has(read.key.toWellFormed()) === false ? rest : undefined;
  }

  /** A statement with the columns in the places of the keys that have one, and the rests of maps in those of the others. */
  written(sql: string, asked: readonly AttributeRead[]): string {
    let text = sql;
    for (const read of asked) {
      const column = this.#ready.get(keyText(read));
      if (column !== undefined && read.value !== undefined) {
        for (const words of read.without) text = text.replaceAll(words, '');
        text = text.replaceAll(read.value, column);
      }
      const rest = this.#restWith(read);
      if (rest === undefined) continue;
      for (const words of [read.value, read.has, ...read.without]) {
        if (words !== undefined) text = text.replaceAll(words, inRest(words, read.map, rest));
      }
    }
    return text;
  }

  /** Reads go to the maps until it is learned again. */
  forget(): void {
    this.#ready = new Map();
    this.#readyRests = new Map();
  }
}

/** Words that read a key of a map, reading it from the rest of that. */
function inRest(words: string, map: string, rest: Pick<RestColumn, 'column'>): string {
  const { keys, values } = columnsOf(rest);
  return words.replaceAll(`${map}.keys`, keys).replaceAll(`${map}.values`, values);
}
