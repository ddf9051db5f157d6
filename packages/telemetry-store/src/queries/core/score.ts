import type { Params } from './params.ts';
import { tenantConditions } from './tenant.ts';

/** How the newest score of one name is read from the rows of spans. */
export interface ScoreReading {
  /** Its verdict, else its label, else its number as text; empty where there is no score. */
  readonly text: string;
  /** Its number, or null. */
  readonly number: string;
}

/** What a score is about, in one text: a span, a trace as a whole, or a session. */
const SUBJECT = `multiIf(SpanId != '', concat(TraceId, SpanId), TraceId != '', TraceId,
  SessionId != '', concat('session ', SessionId), '')`;

const DAY = 86_400_000_000_000n;
/**
 * Scores come later than the spans they are about: so long after the end of the time range they are read. A session may
 * have been scored before the part of it that is looked at, and the period before the range may be asked along.
 */
const SCORE_SLACK = { after: 90n * DAY, before: 3n * DAY } as const;

/** The times of scores that can be about spans of the time range asked for; none where no range is asked for. */
function timesOf(params: Params): readonly string[] {
  if (params.window === undefined) return [];
  const { from, to } = params.window;
  return [
    `Timestamp >= ${params.time(from - (to - from) - SCORE_SLACK.before)}`,
    `Timestamp < ${params.time(to + SCORE_SLACK.after)}`,
  ];
}

/**
 * All scores of that name by what they are about, as three lists: subjects, texts, numbers. The engine works it out once for a
 * statement, whatever the rows, and for its own tenant only. What could not be judged is no score.
 */
const listsOf = (name: string, params: Params): string =>
  params.part(`scores ${name}`, () => {
    const tenant = params.tenant === undefined ? ['0'] : tenantConditions(params.tenant, params);
    const verdict = `multiIf(Verdict != '', Verdict, Label != '', Label, HasValue = 1, toString(Value), '')`;
    return `(SELECT (groupArray(K), groupArray(T), groupArray(N)) FROM (
      SELECT ${SUBJECT} AS K, argMax(${verdict}, Timestamp) AS T, argMax(if(HasValue = 1, toString(Value), ''), Timestamp) AS N
      FROM scores WHERE ${[...tenant, ...timesOf(params)].join(' AND ')} AND Name = ${params.bind(name, 'String')} AND ErrorType = '' GROUP BY K))`;
  });

/**
 * The score of that name of a span: its own; of the span that begins a trace also that of the trace or of its session, so
 * that feedback on a whole answer is found by its trace.
 */
export function readScore(name: string, params: Params): ScoreReading {
  const lists = listsOf(name, params);
  const first = (at: 2 | 3) => {
    const of = (subject: string, otherwise: string) =>
      `transform(${subject}, tupleElement(${lists}, 1), tupleElement(${lists}, ${at}), ${otherwise})`;
    const whole = of('TraceId', of(`concat('session ', SessionId)`, "''"));
    return of('concat(TraceId, SpanId)', `if(ParentSpanId = '', ${whole}, '')`);
  };
  return { text: first(2), number: `toFloat64OrNull(${first(3)})` };
}
