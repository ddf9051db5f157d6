import type { MigrationTarget } from '../migrations/template.ts';
import type { ChangeKind, KeyFacts } from './decide.ts';
import type { KeptStore } from './kept-store.ts';
import type { PresentColumn } from './known.ts';
import { type AttributeKey, keyText, LEARNED_TABLES, mayHaveColumn } from './names.ts';
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

/** The last change of each key. */
const CHANGES_SQL = `SELECT TableName, MapName, Key, argMax(Kind, At) AS Last,
    dateDiff('second', max(At), now64(3)) AS Seconds
  FROM attribute_use WHERE Kind IN ('added', 'filled', 'dropped', 'refused')
  GROUP BY TableName, MapName, Key ORDER BY Seconds, Key LIMIT ${MAX_KEYS}`;

/** Bytes of the parts of tables. */
const BYTES_SQL = `SELECT table AS TableName, sum(bytes_on_disk) AS Bytes FROM system.parts
  WHERE active AND database = currentDatabase() AND table IN {tables:Array(String)} GROUP BY table`;

interface KeyRow {
  readonly TableName: string;
  readonly MapName: string;
  readonly Key: string;
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
    kind: ChangeKind | 'asked',
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

  /** What is known of the keys that were asked for or changed, and of those with columns. */
  async facts(columns: ReadonlyMap<string, PresentColumn>): Promise<readonly KeyFacts[]> {
    const [scores, changes, sizes] = await Promise.all([
      this.#store.select<KeyRow & { Score: number; Idle: number }>(SCORES_SQL),
      this.#store.select<KeyRow & { Last: ChangeKind; Seconds: number }>(CHANGES_SQL),
      this.#sizes(),
    ]);
    const scored = new Map(scores.map((row) => [keyText(attributeOf(row)), row]));
    const changed = new Map(changes.map((row) => [keyText(attributeOf(row)), row]));
    const all = new Map(
      [...scores, ...changes].map((row) => [keyText(attributeOf(row)), attributeOf(row)] as const),
    );
    for (const [text, { attribute }] of columns) all.set(text, attribute);
    return [...all].flatMap(([text, attribute]): KeyFacts[] => {
      if (!mayHaveColumn(attribute)) return [];
      const asked = scored.get(text);
      const change = changed.get(text);
      return [
        {
          ...attribute,
          score: Number(asked?.Score ?? 0),
          idle: asked === undefined ? undefined : Number(asked.Idle),
          enough: this.#enough(sizes.get(attribute.table) ?? 0),
          present: columns.has(text),
          last: change === undefined ? undefined : { kind: change.Last, seconds: Number(change.Seconds) },
        },
      ];
    });
  }

  /** Asks of a key that pay for a column of a table of so many bytes. */
  #enough(bytes: number): number {
    const { minScore, fillBytesAnAsk } = this.#tuning;
    return Math.max(1, Math.min(minScore, Math.ceil(bytes / fillBytesAnAsk)));
  }

  /** Bytes that tables hold, on a cluster on one of its servers: all fill their own at the same time. */
  async #sizes(): Promise<ReadonlyMap<string, number>> {
    const names = new Map(LEARNED_TABLES.map((table) => [heldIn(this.#target, table), table]));
    const found = await this.#store.select<{ TableName: string; Bytes: number }>(BYTES_SQL, {
      tables: [...names.keys()],
    });
    return new Map(found.map(({ TableName, Bytes }) => [names.get(TableName) ?? '', Number(Bytes)]));
  }
}
