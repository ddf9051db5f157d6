/**
 * What went wrong, for a program. Beside these come the codes of the platform (`unknown_credential`, `not_found`,
 * `rate_limited`, ...), which it sends with every failure.
 */
export type CandelaErrorCode = 
/** The call was never sent: an address, a key or a parameter is missing or cannot be right. */
'configuration'
/** No connection to the platform. */
 | 'unreachable'
/** No whole answer in time. */
 | 'timeout'
/** An answer that no Candela platform gives: most often the address is that of something else. */
 | 'unexpected_answer' | (string & {});
export interface CandelaErrorFacts {
    /** HTTP status of the answer; null when there was none. */
    readonly status?: number | null;
    /** `x-request-id` of the answer, to be quoted to who runs the platform. */
    readonly requestId?: string | null;
    /** Seconds after which the platform asked to be tried again. */
    readonly retryAfterSeconds?: number | null;
    /** Whether the same call may succeed later. */
    readonly retryable?: boolean;
    readonly cause?: unknown;
}
/** Every failure of this library but an abort, which rejects with the reason of the signal as `fetch` does. */
export declare class CandelaError extends Error {
    readonly name = "CandelaError";
    readonly code: CandelaErrorCode;
    readonly status: number | null;
    readonly requestId: string | null;
    readonly retryAfterSeconds: number | null;
    readonly retryable: boolean;
    constructor(code: CandelaErrorCode, sentence: string, facts?: CandelaErrorFacts);
}
/** A parameter or setting that cannot be right, said before anything is sent. */
export declare const misconfigured: (sentence: string) => CandelaError;
