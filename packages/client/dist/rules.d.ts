import type { Flights } from './flights.js';
import { type CompiledPrompt, type PromptVariables } from './prompts.js';
import type { Settings } from './settings.js';
export type EntityType = 'context' | 'prompt' | 'evaluation';
export interface RuleRequest {
    /** Kind of the linked things that are asked for. */
    readonly entityType: EntityType;
    /** Name of an input to its value, e.g. `{ 'gen_ai.request.model': 'gpt-4o', user_tier: 'gold' }`: 1 to 50 of them. */
    readonly fields: Readonly<Record<string, string | number | boolean>>;
    /** Bring the contexts or prompts themselves. Default false. */
    readonly includeEntityData?: boolean | undefined;
    /** How prompts are brought. */
    readonly entityInputs?: {
        readonly variables?: PromptVariables | undefined;
        readonly version?: string | undefined;
        readonly shouldCompile?: boolean | undefined;
    } | undefined;
    readonly metaProperties?: Readonly<Record<string, unknown>> | undefined;
    /** Ends the call; it rejects with the reason of the signal. */
    readonly signal?: AbortSignal | undefined;
}
export interface LinkedEntity {
    readonly ruleId: string;
    readonly entityType: EntityType;
    readonly entityId: string;
}
export interface ContextRecord {
    readonly id: string;
    readonly name: string;
    readonly description: string;
    readonly content: string;
    readonly tags: readonly string[];
    readonly metaProperties: Readonly<Record<string, unknown>>;
    readonly status: string;
    readonly createdBy: string;
    /** ISO 8601. */
    readonly createdAt: string;
    /** ISO 8601. */
    readonly updatedAt: string;
}
export interface RuleResult {
    /** Rules that match and are linked to something of the asked kind, the most urgent first. */
    readonly matchingRuleIds: readonly string[];
    /** What they are linked to, in the same order. */
    readonly entities: readonly LinkedEntity[];
    /** The contexts by id, when `includeEntityData` asked for them; null for one that is gone. */
    readonly contexts: ReadonlyMap<string, ContextRecord | null>;
    /** The prompts by id, when `includeEntityData` asked for them; null for one that is gone. */
    readonly prompts: ReadonlyMap<string, CompiledPrompt | null>;
}
export interface RuleParts {
    readonly settings: Settings;
    readonly flights: Flights<RuleResult>;
}
/** Asks which rules match the fields and what they are linked to. */
export declare function evaluateRule({ settings, flights }: RuleParts, request: RuleRequest): Promise<RuleResult>;
