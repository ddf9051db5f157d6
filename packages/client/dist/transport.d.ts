import type { Settings } from './settings.js';
/** A POST with its body, or a GET. */
export type Call = {
    readonly path: `/api/${string}`;
    /** ETag of the copy the caller holds. */
    readonly etag?: string | undefined;
} & ({
    readonly method: 'GET';
} | {
    readonly method?: 'POST';
    readonly contentType: string;
    /** JSON. */
    readonly body: string;
});
export interface Answer {
    /** 200, or 304 when the caller's copy is still right. */
    readonly status: 200 | 304;
    readonly etag: string | null;
    readonly requestId: string | null;
    /** The JSON object of a 200; empty for a 304. */
    readonly body: Readonly<Record<string, unknown>>;
}
export declare const isRecord: (value: unknown) => value is Record<string, unknown>;
/** Seconds of a `Retry-After`, which is a number or a date; null when there is none or it cannot be read. */
export declare function retryAfterOf(header: string | null, nowMs: number): number | null;
/** One attempt. `signal` ends it from outside; its own end is after `timeoutMs`. */
export declare function attempt(settings: Settings, call: Call, timeoutMs: number, signal: AbortSignal): Promise<Answer>;
