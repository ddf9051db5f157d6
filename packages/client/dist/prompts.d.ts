import { type CandelaError } from './errors.js';
import type { Flights } from './flights.js';
import type { Held, PromptCache } from './prompt-cache.js';
import type { Settings } from './settings.js';
export type PromptVariables = Readonly<Record<string, string | number | boolean>>;
export interface PromptRequest {
    /** Name of the prompt. This or `promptId` is needed. */
    readonly name?: string | undefined;
    readonly promptId?: string | undefined;
    /** `1.2.0`, a range (`1.x`), a label (`production`) or `latest`. Default: the latest published one. */
    readonly version?: string | undefined;
    /** Fill the variables in. Default false: `compiledPrompt` is the template then. */
    readonly shouldCompile?: boolean | undefined;
    readonly variables?: PromptVariables | undefined;
    /** Sent along, e.g. `{ applicationName: 'checkout' }`. */
    readonly metaProperties?: Readonly<Record<string, unknown>> | undefined;
    /** Ends the call; it rejects with the reason of the signal. */
    readonly signal?: AbortSignal | undefined;
}
/** A message of a chat prompt. */
export interface PromptMessage {
    readonly role: 'system' | 'developer' | 'user' | 'assistant' | (string & {});
    readonly content: string;
}
/** What to pass to the model with the prompt; what a version does not set is absent. */
export interface PromptModelSettings {
    readonly provider?: string;
    readonly model?: string;
    readonly temperature?: number;
    readonly topP?: number;
    readonly maxTokens?: number;
    readonly frequencyPenalty?: number;
    readonly presencePenalty?: number;
    readonly seed?: number;
    readonly stop?: readonly string[];
    readonly reasoningEffort?: string;
}
export interface PromptTool {
    readonly name: string;
    readonly description?: string;
    /** A JSON Schema. */
    readonly parameters?: Readonly<Record<string, unknown>>;
}
export type PromptResponseFormat = {
    readonly type: 'text';
} | {
    readonly type: 'json_object';
} | {
    readonly type: 'json_schema';
    readonly name: string;
    readonly schema: Readonly<Record<string, unknown>>;
    readonly strict?: boolean;
};
/** A published version of a prompt. */
export interface CompiledPrompt {
    readonly promptId: string;
    readonly versionId: string;
    readonly name: string;
    readonly version: string;
    readonly tags: readonly string[];
    readonly metaProperties: Readonly<Record<string, unknown>>;
    /** The template, with its `{{variables}}`. */
    readonly prompt: string;
    /** The template with the variables filled in; equal to it when nothing was to be compiled. */
    readonly compiledPrompt: string;
    /** Variables of the template that got no value and stand in it as written. Empty when nothing was to be compiled. */
    readonly missing: readonly string[];
    /** Variables that were given and are not in the template. Empty when nothing was to be compiled. */
    readonly unused: readonly string[];
    /** Of a chat prompt: its messages, with the variables filled in where that was asked for. Empty for a plain text. */
    readonly messages: readonly PromptMessage[];
    /** Empty where the version has none. */
    readonly modelSettings: PromptModelSettings;
    readonly tools: readonly PromptTool[];
    readonly responseFormat: PromptResponseFormat | undefined;
}
/** Attributes for the span of the model call, by which the platform finds the traces of a prompt. */
export interface PromptSpanAttributes {
    readonly 'gen_ai.prompt.name': string;
    readonly 'gen_ai.prompt.version': string;
    readonly 'platform.prompt.id': string;
}
export interface PromptResult extends CompiledPrompt {
    readonly spanAttributes: PromptSpanAttributes;
    /** Whether this is an older copy because the platform could not be asked. */
    readonly stale: boolean;
    /** Why it could not; undefined when the result is not stale. */
    readonly staleBecause: CandelaError | undefined;
}
/** Reads the prompt of an answer: that of `get-compiled`, or one in `entity_data` of a rule. */
export declare function readPrompt(value: unknown, what: string): CompiledPrompt;
export interface PromptParts {
    readonly settings: Settings;
    readonly cache: PromptCache<CompiledPrompt>;
    readonly flights: Flights<Held<CompiledPrompt>>;
}
export declare function getPrompt(parts: PromptParts, request: PromptRequest): Promise<PromptResult>;
