/** Every failure of this library but an abort, which rejects with the reason of the signal as `fetch` does. */
export class CandelaError extends Error {
    name = 'CandelaError';
    code;
    status;
    requestId;
    retryAfterSeconds;
    retryable;
    constructor(code, sentence, facts = {}) {
        super(sentence, facts.cause === undefined ? undefined : { cause: facts.cause });
        this.code = code;
        this.status = facts.status ?? null;
        this.requestId = facts.requestId ?? null;
        this.retryAfterSeconds = facts.retryAfterSeconds ?? null;
        this.retryable = facts.retryable ?? false;
    }
}
/** A parameter or setting that cannot be right, said before anything is sent. */
export const misconfigured = (sentence) => new CandelaError('configuration', sentence);
