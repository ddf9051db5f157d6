import type { CodingUser, CodingUserSort } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { Page } from '../core/page.ts';
import type { Runner } from '../core/run.ts';
import { iso } from '../spans/span-row.ts';
import { type Figures, figuresOf, SUMMED, TOKENS } from './columns.ts';
import { type CodingInput, pageOf, placeOf, sessionsStatement } from './statement.ts';
import { countedSessions } from './native-counters.ts';

const ORDER: Record<CodingUserSort, string> = {
  '-last': 'Last DESC',
  '-sessions': 'Sessions DESC',
  '-cost': 'Cost DESC',
  '-tokens': `${TOKENS} DESC`,
  '-tools': 'Tools DESC',
};

/** A user who was not heard of for longer is silent. */
const SILENT_NS = 7n * 24n * 3_600_000_000_000n;

type UserRow = Figures & {
  readonly UserId: string;
  readonly Hidden: boolean | number;
  readonly People: number | string;
  readonly Sessions: number | string;
  readonly LastNs: string;
  readonly TopAgent: string;
};

export interface CodingUsersInput extends CodingInput<CodingUserSort> {
  /** Only users whose last event lies more than seven days before the end of the window. */
  readonly silent: boolean;
}

/** Users of coding agents in the window. Those below the floor are one row, and none where it would be a single person. @throws bad_query */
export async function searchUsers(
  runner: Runner,
  context: RequestContext,
  input: CodingUsersInput,
): Promise<Page<CodingUser>> {
  const place = placeOf('coding users', context, input, input.sort, String(input.silent));
  const counted = await countedSessions(runner, context, place.window);
  const [scope, sessions] = sessionsStatement(context, input, { window: place.window, counted });
  const sums = SUMMED.map((name) => `sum(S.${name}) AS ${name}`).join(', ');
  // Of users below the floor nothing may be told apart: a row of the silent among them would.
  const silent = input.silent
    ? ` AND NOT IsHidden AND Last < ${scope.params.time(place.window.to - SILENT_NS)}`
    : '';
  const rows = await runner.run<UserRow>(
    scope,
    `SELECT UserId, IsHidden AS Hidden, uniqExact(Person) AS People, count() AS Sessions, max(Ended) AS Last,
       toString(toUnixTimestamp64Nano(max(Ended))) AS LastNs, topK(1)(Agent)[1] AS TopAgent, ${sums}
     FROM (${sessions}) AS S WHERE Person != '' GROUP BY UserId, IsHidden HAVING (NOT IsHidden OR People >= 2)${silent}
     ORDER BY ${ORDER[input.sort]}, UserId LIMIT ${input.limit + 1} OFFSET ${place.offset}`,
  );
  return pageOf(rows, place, input.limit, (row) => ({
    user: row.Hidden ? null : row.UserId,
    users: Number(row.People),
    sessions: Number(row.Sessions),
    lastSeen: iso(BigInt(row.LastNs)),
    topAgent: row.TopAgent,
    ...figuresOf(row),
  }));
}
