import { EXCEPTION_LIMITS, type ExceptionGroup, type ExceptionSort } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import { type Cursor, decodeCursor, encodeCursor, listName } from '../core/cursor.ts';
import type { Runner } from '../core/run.ts';
import { Scope } from '../core/scope.ts';
import type { Page, SearchInput } from '../spans/search-spans.ts';
import { EXCEPTION_GROUPS, EXCEPTIONS } from './exception-fields.ts';
import { readGroups } from './groups.ts';

/** What a sort orders by, as whole numbers that a cursor can carry. First seen is judged in all that is kept. */
const SORT_SQL = {
  lastSeen: 'max(toUnixTimestamp64Nano(Timestamp))',
  count: 'toInt64(uniqExact(Occurrence))',
  users: "toInt64(uniqExactIf(UserId, UserId != ''))",
} as const;

interface RawKey {
  readonly F: string;
  readonly K: string;
}

/** One page of groups: their fingerprints by the sort, then the rows. */
export async function searchExceptions(
  runner: Runner,
  context: RequestContext,
  input: SearchInput<ExceptionSort>,
): Promise<Page<ExceptionGroup>> {
  const list = listName('exceptions', context, input.sort, input.filter);
  const cursor = input.cursor === undefined ? undefined : decodeCursor(input.cursor, list, 2);
  const window = cursor ?? input.window;
  const keys = await pageKeys(runner, context, { ...input, window }, cursor);
  const page = keys.slice(0, input.limit);
  const last = page.at(-1);
  const data = await readGroups(
    runner,
    context,
    page.map(({ F }) => F),
    { window, filter: input.filter, points: EXCEPTION_LIMITS.rowTrend },
  );
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
): Promise<RawKey[]> {
  const descending = input.sort.startsWith('-');
  const by = input.sort.replace('-', '') as keyof typeof SORT_SQL | 'firstSeen';
  const direction = descending ? 'DESC' : 'ASC';
  const scope = Scope.of(context, EXCEPTIONS).during(input.window).matching(input.filter);
  const { params } = scope;
  const having = (key: string) => {
    if (cursor === undefined) return '';
    const [last = '', fingerprint = ''] = cursor.after;
    if (!/^-?\d{1,19}$/.test(last) || !/^\d{1,20}$/.test(fingerprint)) {
      throw fail('bad_query', { detail: 'The cursor is damaged.' });
    }
    const bound = `(${params.bind(last, 'Int64')}, ${params.bind(fingerprint, 'UInt64')})`;
    return `HAVING (${key}, Fingerprint) ${descending ? '<' : '>'} ${bound}`;
  };
  const order = `ORDER BY Key ${direction}, Fingerprint ${direction} LIMIT ${input.limit + 1}`;
  if (by !== 'firstSeen') {
    return runner.run<RawKey>(
      scope,
      `SELECT toString(Fingerprint) AS F, toString(Key) AS K FROM (
         SELECT Fingerprint, ${SORT_SQL[by]} AS Key ${scope.from} GROUP BY Fingerprint ${having('Key')}
       ) ${order}`,
    );
  }
  const ever = scope.over(EXCEPTION_GROUPS).and(`Fingerprint GLOBAL IN (SELECT Fingerprint ${scope.from})`);
  return runner.run<RawKey>(
    ever,
    `SELECT toString(Fingerprint) AS F, toString(Key) AS K FROM (
       SELECT Fingerprint, min(FirstNs) AS Key ${ever.from} GROUP BY Fingerprint ${having('Key')}
     ) ${order}`,
  );
}
