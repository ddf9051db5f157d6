import { CODING_GROUPS, type CodingPeriod } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { wholeHours } from '../core/floor.ts';
import type { Runner } from '../core/run.ts';
import type { Window } from '../core/scope.ts';
import { iso, orNull } from '../spans/span-row.ts';
import { type Figures, figuresOf, SUMMED } from './columns.ts';
import { type CodingSelection, sessionsStatement } from './statement.ts';
import { countedSessions } from './native-counters.ts';

/** Users below the floor are in a sum where they are so many: of one alone it would tell what that one did. */
const LEAST_TOGETHER = 2;
/** How many of each kind of group are told, the dearest. */
const MOST_GROUPS = 50;
const STEPS = [3_600, 21_600, 86_400, 604_800, 2_592_000] as const;
const MOST_STEPS = 62;

/** Whole hours at least, as the window is. */
function stepOf({ from, to }: Window): number {
  const seconds = Number((to - from) / 1_000_000_000n);
  return (
    STEPS.find((step) => seconds / step <= MOST_STEPS) ?? Math.ceil(seconds / MOST_STEPS / 86_400) * 86_400
  );
}

type Row = Figures & {
  readonly Kind: 'all' | 'slot' | (typeof CODING_GROUPS)[number];
  readonly Name: string;
  readonly Sessions: number | string;
  readonly People: number | string;
};

const COLUMN = { agent: 'Agent', repository: 'Repository', model: 'Model', captureMode: 'Mode' } as const;

/**
 * What coding agents did in one window. Sessions of users below the floor are in a sum where they are of at least two: it names nobody, and
 * tells of nobody alone.
 */
export async function summarise(
  runner: Runner,
  context: RequestContext,
  input: CodingSelection,
): Promise<CodingPeriod> {
  const window = wholeHours(input.window);
  const step = stepOf(window);
  const counted = await countedSessions(runner, context, window);
  const [scope, sessions] = sessionsStatement(context, input, { window, counted });
  const groups = CODING_GROUPS.map((by) => `('${by}', toString(${COLUMN[by]}))`).join(', ');
  const sums = (of: string) => SUMMED.map((name) => `sum(${of}.${name}) AS ${name}`).join(', ');
  // A sum that holds the sessions of one user below the floor would be theirs, by what is left of it without all others.
  const rows = await runner.run<Row>(
    scope,
    `SELECT Kind, Name, sum(P.Sessions) AS Sessions, sum(P.People) AS People, ${sums('P')}
     FROM (
       SELECT Dim.1 AS Kind, Dim.2 AS Name, IsHidden AND Person != '' AS Below, count() AS Sessions, uniqExactIf(Person, Person != '') AS People, ${sums('S')}
       FROM (SELECT *, toString(intDiv(toUnixTimestamp(Started), ${step}) * ${step}) AS Slot FROM (${sessions})) AS S
       ARRAY JOIN [('all', ''), ('slot', Slot), ${groups}] AS Dim
       GROUP BY Kind, Name, Below HAVING NOT Below OR People >= ${LEAST_TOGETHER}
     ) AS P
     GROUP BY Kind, Name ORDER BY Kind, if(Kind = 'slot', toFloat64OrZero(Name), -sum(P.Cost)), Sessions DESC, Name LIMIT 200 BY Kind`,
  );
  const summed = (row: Row) => ({
    sessions: Number(row.Sessions),
    users: Number(row.People),
    ...figuresOf(row),
  });
  const all = rows.find(({ Kind }) => Kind === 'all');
  return {
    from: iso(window.from),
    to: iso(window.to),
    totals: all === undefined ? NOTHING : summed(all),
    groups: CODING_GROUPS.flatMap((by) =>
      rows
        .filter(({ Kind }) => Kind === by)
        .slice(0, MOST_GROUPS)
        .map((row) => ({ by, name: orNull(row.Name), ...summed(row) })),
    ),
    series: rows
      .filter(({ Kind }) => Kind === 'slot')
      .map((row) => ({ start: iso(BigInt(row.Name) * 1_000_000_000n), ...summed(row) })),
    stepSeconds: step,
  };
}

const NOTHING = {
  sessions: 0,
  users: 0,
  ...figuresOf(Object.fromEntries(SUMMED.map((name) => [name, 0])) as Figures),
};
