import type { Flights } from './flights.js';
import type { Settings } from './settings.js';
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
export interface BudgetParts {
    readonly settings: Settings;
    readonly flights: Flights<BudgetResult>;
}
/** Asks whether budgets allow the next call. Never held: an exceeded budget counts with the next call. */
export declare function checkBudget({ settings, flights }: BudgetParts, { signal: given, user, model, key, session, service, agent }: BudgetRequest): Promise<BudgetResult>;
