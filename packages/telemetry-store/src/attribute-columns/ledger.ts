import { randomUUID } from 'node:crypto';
import type { MigrationTarget } from '../migrations/template.ts';
import type { ChangeKind, KeyFacts, TableFacts } from './decide.ts';
import type { KeptStore } from './kept-store.ts';
import type { PresentColumn } from './known.ts';
import { type AttributeKey, keyText, LEARNED_TABLES, mayHaveColumn } from './names.ts';
import { notedAs, type RestColumn, type RestFacts } from './rest.ts';
import { heldIn } from './statements.ts';
import type { ColumnTuning } from './tuning.ts';
import type { CountedKey } from './use.ts';

/** Writes down what was asked for or done. */
const NOTE_SQL = `INSERT INTO attribute_use (Kind, TableName, MapName, Key, Asks)
  SELECT {kind:String}, N.1, N.2, N.3, N.4 FROM (SELECT arrayJoin(arrayZip(
    {tables:Array(String)}, {maps:Array(String)}, {keys:Array(String)}, {asks:Array(UInt32)})) AS N)`;

/** Days whose questions count, questions of an hour that count, keys that are looked at. */
const SCORE_DAYS = 7;
const SCORE_AN_HOUR = 10;
const MAX_KEYS = 1_000;

/** What was asked for: somebody who asks all the time counts as little more than somebody who asks now and then. */
const SCORES_SQL = `SELECT TableName, MapName, Key, sum(least(A, ${SCORE_AN_HOUR})) AS Score,
    dateDiff('second', max(LastAt), now64(3)) AS Idle FROM (
    SELECT TableName, MapName, Key, toStartOfHour(At) AS H, sum(Asks) AS A, max(At) AS LastAt FROM attribute_use
    WHERE Kind = 'asked' AND At > now64(3) - INTERVAL ${SCORE_DAYS} DAY GROUP BY TableName, MapName, Key, H)
  GROUP BY TableName, MapName, Key ORDER BY Score DESC, Idle, Key LIMIT ${MAX_KEYS}`;

/** The last change of each key, and whether its last column came from a look. */
const CHANGES_SQL = `SELECT TableName, MapName, Key, argMax(Kind, At) AS Last,
    dateDiff('second', max(At), now64(3)) AS Seconds,
    argMaxIf(Kind, At, Kind IN ('added', 'common')) = 'common' AS ByLook
  FROM attribute_use WHERE Kind NOT IN ('asked', 'looking', 'looked', 'words')
  GROUP BY TableName, MapName, Key ORDER BY Seconds, Key LIMIT ${MAX_KEYS}`;

/** Looks at tables: the last that began and the last that ended. */
const LOOKS_SQL = `SELECT TableName, Kind, dateDiff('second', max(At), now64(3)) AS Seconds,
    toUnixTimestamp64Milli(max(At)) AS AtMs
  FROM attribute_use WHERE Kind IN ('looking', 'looked') GROUP BY TableName, Kind`;

/** Rows that a table holds, and bytes of its parts. */
const ROWS_SQL = `SELECT table AS TableName, sum(rows) AS Rows, sum(bytes_on_disk) AS Bytes FROM system.parts
  WHERE active AND database = currentDatabase() AND table IN {tables:Array(String)} GROUP BY table`;

/** Who was the first to begin a look at a table since a moment. */
const FIRST_SQL = `SELECT Key FROM attribute_use
  WHERE Kind = 'looking' AND TableName = {table:String} AND toUnixTimestamp64Milli(At) > {since:Int64}
  ORDER BY At, Key LIMIT 1`;

interface KeyRow {
  readonly TableName: string;
  readonly MapName: string;
  readonly Key: string;
}

interface LookRow {
  readonly TableName: string;
  readonly Kind: 'looking' | 'looked';
  readonly Seconds: number;
  readonly AtMs: number;
}

export interface Facts {
  readonly keys: readonly KeyFacts[];
  readonly rests: readonly RestFacts[];
}

/** A table, and when a look at it last began. */
export interface LookedTable extends TableFacts {
  readonly beganAtMs: number;
}

const attributeOf = ({ TableName, MapName, Key }: KeyRow): AttributeKey => ({
  table: TableName,
  map: MapName,
  key: Key,
});

/** What was asked for and what was done, as all processes that share a store write it down in it. */
export class Ledger {
  readonly #store: KeptStore;
  readonly #target: MigrationTarget;
  readonly #tuning: Pick<ColumnTuning, 'minScore' | 'fillBytesAnAsk'>;

  constructor(
    store: KeptStore,
    target: MigrationTarget,
    tuning: Pick<ColumnTuning, 'minScore' | 'fillBytesAnAsk'>,
  ) {
    this.#store = store;
    this.#target = target;
    this.#tuning = tuning;
  }

  async note(
    kind: ChangeKind | 'asked' | 'looking' | 'looked',
    keys: readonly (AttributeKey & Partial<CountedKey>)[],
  ): Promise<void> {
    if (keys.length === 0) return;
    const params = {
      kind,
      tables: keys.map(({ table }) => table),
      maps: keys.map(({ map }) => map),
      keys: keys.map(({ key }) => key),
      asks: keys.map(({ asks = 0 }) => asks),
    };
    await this.#store.run({ sql: NOTE_SQL, params });
  }

  /** What is known of the keys that were asked for or changed, of those with columns, and of the rests of maps. */
  async facts(columns: ReadonlyMap<string, PresentColumn>, rests: readonly RestColumn[]): Promise<Facts> {
    const [scores, changes, sizes] = await Promise.all([
      this.#store.select<KeyRow & { Score: number; Idle: number }>(SCORES_SQL),
      this.#store.select<KeyRow & { Last: ChangeKind; Seconds: number; ByLook: number }>(CHANGES_SQL),
      this.#sizes(),
    ]);
    const scored = new Map(scores.map((row) => [keyText(attributeOf(row)), row]));
    const changed = new Map(changes.map((row) => [keyText(attributeOf(row)), row]));
    const all = new Map(
      [...scores, ...changes].map((row) => [keyText(attributeOf(row)), attributeOf(row)] as const),
    );
    for (const [text, { attribute }] of columns) all.set(text, attribute);
    const lastOf = (text: string): KeyFacts['last'] => {
      const change = changed.get(text);
      return change === undefined ? undefined : { kind: change.Last, seconds: Number(change.Seconds) };
    };
    const keys = [...all].flatMap(([text, attribute]): KeyFacts[] => {
      if (!mayHaveColumn(attribute)) return [];
      const asked = scored.get(text);
      return [
        {
          ...attribute,
          score: Number(asked?.Score ?? 0),
          idle: asked === undefined ? undefined : Number(asked.Idle),
          enough: this.#enough(sizes.get(attribute.table)?.bytes ?? 0),
          present: columns.has(text),
          last: lastOf(text),
          byLook: Number(changed.get(text)?.ByLook ?? 0) === 1,
        },
      ];
    });
    return { keys, rests: rests.map((rest) => ({ ...rest, last: lastOf(keyText(notedAs(rest))) })) };
  }

  /** The tables with maps whose keys may get columns. */
  async tables(): Promise<LookedTable[]> {
    const [sizes, looks] = await Promise.all([this.#sizes(), this.#store.select<LookRow>(LOOKS_SQL)]);
    return LEARNED_TABLES.map((table): LookedTable => {
      const last = (kind: LookRow['Kind']) =>
        looks.find(({ TableName, Kind }) => TableName === table && Kind === kind);
      const seconds = (kind: LookRow['Kind']) => {
        const look = last(kind);
        return look === undefined ? undefined : Number(look.Seconds);
      };
      return {
        table,
        rows: sizes.get(table)?.rows ?? 0,
        looked: seconds('looked'),
        looking: seconds('looking'),
        beganAtMs: Number(last('looking')?.AtMs ?? 0),
      };
    });
  }

  /** Asks of a key that pay for a column of a table of so many bytes. */
  #enough(bytes: number): number {
    const { minScore, fillBytesAnAsk } = this.#tuning;
    return Math.max(1, Math.min(minScore, Math.ceil(bytes / fillBytesAnAsk)));
  }

  /** What tables hold, on a cluster on one of its servers: all fill their own at the same time. */
  async #sizes(): Promise<ReadonlyMap<string, { readonly rows: number; readonly bytes: number }>> {
    const names = new Map(LEARNED_TABLES.map((table) => [heldIn(this.#target, table), table]));
    const found = await this.#store.select<{ TableName: string; Rows: number; Bytes: number }>(ROWS_SQL, {
      tables: [...names.keys()],
    });
    return new Map(
      found.map(({ TableName, Rows, Bytes }) => [
        names.get(TableName) ?? '',
        { rows: Number(Rows), bytes: Number(Bytes) },
      ]),
    );
  }

  /** Says that a look at a table begins. False when another process was faster: one look is enough for all. */
  async beginLook({ table, beganAtMs }: LookedTable): Promise<boolean> {
    const own = randomUUID();
    await this.note('looking', [{ table, map: '', key: own }]);
    const [first] = await this.#store.select<{ Key: string }>(FIRST_SQL, { table, since: beganAtMs });
    return first?.Key === own;
  }

  async endLook(table: string): Promise<void> {
    await this.note('looked', [{ table, map: '', key: '' }]);
  }
}
