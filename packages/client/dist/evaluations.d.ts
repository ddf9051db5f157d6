import type { Settings } from './settings.js';
/** A score of a trace, span or session: feedback of a user, or what an evaluator of your own found. */
export interface ScoreRequest {
    readonly name: string;
    /** A number, or thumbs: true or false. */
    readonly value?: number | boolean | undefined;
    readonly label?: string | undefined;
    readonly comment?: string | undefined;
    readonly traceId?: string | undefined;
    readonly spanId?: string | undefined;
    readonly sessionId?: string | undefined;
    readonly userId?: string | undefined;
    /** The same id again replaces the score. Default: a new one. */
    readonly id?: string | undefined;
    readonly source?: 'user' | 'human' | 'api' | 'code' | 'judge' | undefined;
    readonly verdict?: 'pass' | 'fail' | undefined;
    readonly signal?: AbortSignal | undefined;
}
/** An item of a dataset. With an id it replaces the item that has it. */
export interface DatasetItemInput {
    readonly id?: string | undefined;
    readonly input: unknown;
    readonly expectedOutput?: unknown;
    readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}
export interface DatasetItemsRequest {
    /** Name or id. */
    readonly dataset: string;
    readonly items: readonly DatasetItemInput[];
    readonly signal?: AbortSignal | undefined;
}
/** An experiment of which your application makes the outputs. */
export interface ExperimentRequest {
    readonly dataset: string;
    readonly name: string;
    readonly evaluators: readonly string[];
    readonly revision?: number | undefined;
    readonly signal?: AbortSignal | undefined;
}
export interface ExperimentOutputs {
    /** Name or id. */
    readonly experiment: string;
    readonly items: readonly {
        readonly itemId: string;
        readonly output?: string | undefined;
        readonly error?: string | undefined;
        readonly durationMs?: number | undefined;
        readonly costUsd?: number | undefined;
        readonly traceId?: string | undefined;
    }[];
    readonly signal?: AbortSignal | undefined;
}
/** Records a score. It has an id before it is sent, so that repeating the call records it once. */
export declare function addScore(settings: Settings, { signal, ...score }: ScoreRequest): Promise<{
    id: string;
}>;
/** Adds items to a dataset as one new revision; items without an id get one from their content. */
export declare function addDatasetItems(settings: Settings, { dataset, items, signal }: DatasetItemsRequest): Promise<{
    ids: readonly string[];
}>;
/** Begins an experiment whose outputs are sent with `addExperimentOutputs`. */
export declare function createExperiment(settings: Settings, { signal, ...request }: ExperimentRequest): Promise<{
    id: string;
}>;
/** Sends outputs for items of an experiment. What was sent before is passed over, so the call may be repeated. */
export declare function addExperimentOutputs(settings: Settings, { experiment, items, signal }: ExperimentOutputs): Promise<void>;
