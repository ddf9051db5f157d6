import type { SessionRow, UserRow } from '@candela/contract';
import { entityKey } from '@candela/kernel';
import { NO_OPENING } from '../../rollups/activity.ts';
import { iso, ms } from '../spans/span-row.ts';

/** When a session or a user began, and when it ended, over rows of the rollup. */
export const START = 'toString(min(FirstNs)) AS StartNs';
export const TIMES = `${START}, toString(max(EndNs)) AS LastNs`;

/** The first of a set by name. A set that stops at so many holds any of them, and others at the next load. */
export const firstOf = (set: string, most: number): string =>
  `arraySlice(arrayPartialSort(${most}, ${set}), 1, ${most})`;

/** The other figures of a session or a user. */
export const FIGURES = `toString(min(OpeningNs)) AS OpenNs, uniqExactArray(Traces) AS TraceCount, sum(Spans) AS SpanCount,
  sum(Errors) AS ErrorCount, sum(Counting) AS CallCount, sum(Input) AS FreshIn, sum(CacheRead) AS ReadIn,
  sum(CacheWrite) AS WriteIn, sum(Output) AS PlainOut, sum(Reasoning) AS ReasonOut, sum(Priced) AS PricedCount,
  sum(Cost) AS CostUnits, ${firstOf('groupUniqArrayArray(Models)', 50)} AS ModelNames,
  ${firstOf('groupUniqArrayArray(Agents)', 50)} AS AgentNames`;

export interface RawFigures {
  readonly StartNs: string;
  readonly LastNs: string;
  readonly OpenNs: string;
  readonly TraceCount: number;
  readonly SpanCount: number;
  readonly ErrorCount: number;
  readonly CallCount: number;
  readonly FreshIn: number;
  readonly ReadIn: number;
  readonly WriteIn: number;
  readonly PlainOut: number;
  readonly ReasonOut: number;
  readonly PricedCount: number;
  readonly CostUnits: number;
  readonly ModelNames: string[];
  readonly AgentNames: string[];
}

export type RawSession = RawFigures & {
  readonly Id: string;
  readonly Users: string[];
  readonly UserCount: number;
};
export type RawUser = RawFigures & { readonly Id: string; readonly SessionCount: number };

type Activity = Omit<UserRow, 'userId' | 'key' | 'sessions'>;

const UNITS_PER_USD = 1e10;

/** Null when nothing had a price; rounded to what a price can tell. */
export const usdOf = (units: number, priced: number): number | null =>
  priced === 0 ? null : units / UNITS_PER_USD;

function toActivity(raw: RawFigures): Activity {
  const counted = raw.CallCount > 0;
  const start = BigInt(raw.StartNs);
  const last = BigInt(raw.LastNs);
  return {
    firstSeen: iso(start),
    lastSeen: iso(last),
    durationMs: ms(last - start),
    traces: raw.TraceCount,
    spans: raw.SpanCount,
    modelCalls: raw.CallCount,
    errors: raw.ErrorCount,
    inputTokens: counted ? raw.FreshIn + raw.ReadIn + raw.WriteIn : null,
    outputTokens: counted ? raw.PlainOut + raw.ReasonOut : null,
    usage: {
      input: raw.FreshIn,
      cacheRead: raw.ReadIn,
      cacheWrite: raw.WriteIn,
      output: raw.PlainOut,
      reasoning: raw.ReasonOut,
    },
    costUsd: usdOf(raw.CostUnits, raw.PricedCount),
    models: raw.ModelNames,
    agents: raw.AgentNames,
  };
}

export const toSessionRow = (raw: RawSession): SessionRow => ({
  sessionId: raw.Id,
  key: entityKey(raw.Id),
  users: raw.Users,
  userCount: raw.UserCount,
  ...toActivity(raw),
  openingNs: BigInt(raw.OpenNs) === NO_OPENING ? null : raw.OpenNs,
});

export const toUserRow = (raw: RawUser): UserRow => ({
  userId: raw.Id,
  key: entityKey(raw.Id),
  sessions: raw.SessionCount,
  ...toActivity(raw),
});
