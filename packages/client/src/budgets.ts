import type { Flights } from './flights.ts';
import { Fields, freeze, unexpected } from './read.ts';
import { callWithRetries } from './retry.ts';
import type { Settings } from './settings.ts';

/** What the next call is about; budgets of everything that is given are looked at. */
export interface BudgetRequest {
  readonly user?: string | undefined;
  readonly model?: string | undefined;
  /** A key of a gateway, as its spans name it. */
  readonly key?: string | undefined;
  readonly session?: string | undefined;
  readonly service?: string | undefined;
  readonly agent?: string | undefined;
  /** Ends the call; it rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

export interface ExceededBudget {
  readonly budget: string;
  /** `project`, `user`, `model`, `key`, `session`, `service` or `agent`. */
  readonly scope: string;
  /** The user, model, … whose budget is spent; null: the project's. */
  readonly value: string | null;
  readonly percent: number | null;
  readonly limitUsd: number;
  /** Whether it forbids the next call, or only says so. */
  readonly blocks: boolean;
}

export interface BudgetResult {
  /** False: a budget that blocks is spent. */
  readonly allowed: boolean;
  readonly exceeded: readonly ExceededBudget[];
}

function readResult(body: Readonly<Record<string, unknown>>): BudgetResult {
  const data = new Fields(body['data'], 'data');
  return freeze({
    allowed: data.flag('allowed'),
    exceeded: data.list('exceeded').map((each) => {
      const one = new Fields(each, 'data.exceeded');
      return {
        budget: one.text('budget'),
        scope: one.text('scope'),
        value: one.isNull('value') ? null : one.text('value'),
        percent: one.isNull('percent') ? null : one.number('percent'),
        limitUsd: one.number('limitUsd'),
        blocks: one.flag('blocks'),
      };
    }),
  });
}

export interface BudgetParts {
  readonly settings: Settings;
  readonly flights: Flights<BudgetResult>;
}

/** Asks whether budgets allow the next call. Never held: an exceeded budget counts with the next call. */
export async function checkBudget(
  { settings, flights }: BudgetParts,
  { signal: given, user, model, key, session, service, agent }: BudgetRequest,
): Promise<BudgetResult> {
  const query = new URLSearchParams(
    Object.entries({ user, model, key, session, service, agent }).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  ).toString();
  const path = `/api/budget/check${query === '' ? '' : `?${query}`}` as const;
  return flights.join(path, given, async (signal) => {
    const answer = await callWithRetries(settings, { method: 'GET', path }, signal);
    if (answer.body['data'] === undefined) throw unexpected('answer.data');
    return readResult(answer.body);
  });
}
