import { CandelaError } from './errors.js';
/** What is kept of an answer. */
export interface Copy<T> {
    readonly value: T;
    readonly etag: string | null;
    /** Characters it takes. */
    readonly size: number;
}
/** How old the value is that a caller was given. */
export interface Held<T> {
    readonly value: T;
    /** The platform did not confirm it because of this failure; undefined when the value is good. */
    readonly staleBecause: CandelaError | undefined;
}
export interface PromptCacheSettings {
    readonly ttlMs: number;
    readonly staleMs: number;
    readonly maxEntries: number;
    /** Milliseconds that only grow. Default `performance.now`. */
    readonly now?: () => number;
}
/** The fetched prompts of one client, least recently used first. */
export declare class PromptCache<T> {
    #private;
    constructor(settings: PromptCacheSettings);
    /** The copy that needs no asking: a young one, or an older one shortly after a failed refresh. */
    fresh(key: string): Held<T> | undefined;
    /** ETag to ask with; undefined when nothing is held. `bridge`: whether the copy may serve if the platform does not. */
    known(key: string): {
        readonly etag: string | undefined;
        readonly bridge: boolean;
    };
    /** The platform's answer; `unchanged` keeps the copy held, and is undefined when that one is gone by now. */
    confirm(key: string, answer: Copy<T> | 'unchanged'): T | undefined;
    /** What serves after a failed refresh; throws the failure when nothing may. */
    failed(key: string, error: unknown): Held<T>;
    clear(): void;
}
