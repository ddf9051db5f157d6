import { EXCEPTION_LIMITS, type ExceptionGroup, type ExceptionSort } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { type Cursor, damagedCursor, decodeCursor, encodeCursor, listName } from '../core/cursor.ts';
import type { Runner } from '../core/run.ts';
import { Scope } from '../core/scope.ts';
import type { Page, SearchInput } from '../core/page.ts';
import { COUNT_SQL, EXCEPTION_GROUPS, EXCEPTIONS } from './exception-fields.ts';
import { type GroupKey, isOnce, mostRecorded, readFigures, readGroups } from './groups.ts';

/** What a sort orders by, as whole numbers that a cursor can carry. First seen is judged in all that is kept. */
const SORT_SQL = {
  lastSeen: 'max(toUnixTimestamp64Nano(Timestamp))',
  count: `toInt64(${COUNT_SQL})`,
  users: "toInt64(uniqExactIf(UserId, UserId != ''))",
} as const;

type SortKey = keyof typeof SORT_SQL | 'firstSeen';

/** One page of groups: their fingerprints by the sort, then the rows. */
export async function searchExceptions(
  runner: Runner,
  context: RequestContext,
  input: SearchInput<ExceptionSort>,
): Promise<Page<ExceptionGroup>> {
  const list = listName('exceptions', context, input.sort, input.filter);
  const cursor = input.cursor === undefined ? undefined : decodeCursor(input.cursor, list, 2);
  const window = cursor ?? input.window;
  const asked = { window, filter: input.filter, points: EXCEPTION_LIMITS.rowTrend };
  const exactly = () => pageKeys(runner, context, { ...input, window }, cursor);
  const pageOf = (keys: readonly GroupKey[]) => keys.slice(0, input.limit).map(({ F }) => F);
  // How often a group was recorded is told without telling apart what, and is never less than its exceptions: where it is
  // no more for any of the first page, no other group can belong there.
  const guess =
    input.sort === '-count' && cursor === undefined
      ? await mostRecorded(runner, context, asked, input.limit + 1)
      : undefined;
  let keys = guess?.keys ?? (await exactly());
  let fingerprints = pageOf(keys);
  let figures = await readFigures(runner, context, fingerprints, asked);
  const areOnce = figures.every(isOnce);
  if (guess !== undefined && !areOnce) {
    keys = await exactly();
    fingerprints = pageOf(keys);
    const others = fingerprints.filter((fingerprint) => !figures.some(({ F }) => F === fingerprint));
    figures = [...figures, ...(await readFigures(runner, context, others, asked))];
  }
  const trends = areOnce ? guess?.trends : undefined;
  const data = await readGroups(runner, context, fingerprints, asked, { figures, trends });
  const last = keys.slice(0, input.limit).at(-1);
  const more = keys.length > input.limit && last !== undefined;
  return {
    data,
    nextCursor: more
      ? encodeCursor({ list, from: window.from, to: window.to, after: [last.K, last.F] })
      : null,
  };
}

async function pageKeys(
  runner: Runner,
  context: RequestContext,
  input: SearchInput<ExceptionSort>,
  cursor: Cursor | undefined,
): Promise<GroupKey[]> {
  const by = input.sort.replace('-', '') as SortKey;
  const descending = input.sort.startsWith('-');
  const direction = descending ? 'DESC' : 'ASC';
  const scope = Scope.of(context, EXCEPTIONS).during(input.window).matching(input.filter);
  const { params } = scope;
  const beyond = (key: string): string | undefined => {
    if (cursor === undefined) return undefined;
    const [last = '', fingerprint = ''] = cursor.after;
    if (!/^-?\d{1,19}$/.test(last) || !/^\d{1,20}$/.test(fingerprint)) {
      throw damagedCursor();
    }
    const bound = `(${params.bind(last, 'Int64')}, ${params.bind(fingerprint, 'UInt64')})`;
    return `(${key}, Fingerprint) ${descending ? '<' : '>'} ${bound}`;
  };
  const next = beyond('Key');
  const having = next === undefined ? '' : `HAVING ${next}`;
  const order = `ORDER BY Key ${direction}, Fingerprint ${direction} LIMIT ${input.limit + 1}`;
  if (by === 'lastSeen' && input.filter === undefined) {
    // The last of all that is kept is the last of the window, unless something was seen after the window.
    const kept = scope.over(EXCEPTION_GROUPS);
    const from = params.bind(input.window.from, 'Int64');
    const later = `Key >= ${params.bind(input.window.to, 'Int64')}`;
    const rows = await runner.run<GroupKey & { Latest: string }>(
      kept,
      `SELECT toString(Fingerprint) AS F, toString(Key) AS K, toString(Latest) AS Latest FROM (
         SELECT Fingerprint, Key, max(Key) OVER () AS Latest FROM (
           SELECT Fingerprint, max(LastNs) AS Key ${kept.from} GROUP BY Fingerprint HAVING Key >= ${from}
         )
       ) ${next === undefined ? '' : `WHERE ${next} OR ${later}`} ${order}`,
    );
    if (rows.every(({ Latest }) => BigInt(Latest) < input.window.to)) return rows;
  }
  if (by !== 'firstSeen') {
    return runner.run<GroupKey>(
      scope,
      `SELECT toString(Fingerprint) AS F, toString(Key) AS K FROM (
         SELECT Fingerprint, ${SORT_SQL[by]} AS Key ${scope.from} GROUP BY Fingerprint ${having}
       ) ${order}`,
    );
  }
  const ever = scope.over(EXCEPTION_GROUPS).and(`Fingerprint GLOBAL IN (SELECT Fingerprint ${scope.from})`);
  return runner.run<GroupKey>(
    ever,
    `SELECT toString(Fingerprint) AS F, toString(Key) AS K FROM (
       SELECT Fingerprint, min(FirstNs) AS Key ${ever.from} GROUP BY Fingerprint ${having}
     ) ${order}`,
  );
}
