import { CandelaError } from './errors.js';
import { attempt } from './transport.js';
/** The first wait is up to this long, each further one up to twice the one before. */
const BASE_WAIT_MS = 200;
const MAX_WAIT_MS = 5_000;
/**
 * Milliseconds before attempt `number` + 1: full jitter (a random part of an exponentially growing bound), on top of
 * what the platform asked for, so that many clients refused together do not come back together.
 */
export function waitBefore(number, retryAfterSeconds, random) {
    return (retryAfterSeconds ?? 0) * 1000 + random * Math.min(MAX_WAIT_MS, BASE_WAIT_MS * 2 ** (number - 1));
}
async function sleep(ms, signal) {
    await new Promise((resolve) => {
        const done = () => {
            clearTimeout(timer);
            signal.removeEventListener('abort', done);
            resolve();
        };
        const timer = setTimeout(done, ms);
        signal.addEventListener('abort', done, { once: true });
        if (signal.aborted)
            done();
    });
    signal.throwIfAborted();
}
/** All calls only read, so each may be repeated. `retries` is 0 where an older copy is at hand. */
export async function callWithRetries(settings, call, signal, retries = settings.retries) {
    const endsAt = performance.now() + settings.totalTimeoutMs;
    for (let number = 1;; number++) {
        try {
            const left = endsAt - performance.now();
            return await attempt(settings, call, Math.max(1, Math.round(Math.min(settings.timeoutMs, left))), signal);
        }
        catch (error) {
            if (!(error instanceof CandelaError) || !error.retryable || number > retries)
                throw error;
            const waitMs = waitBefore(number, error.retryAfterSeconds, Math.random());
            // A wait that leaves no time to ask again only delays the error.
            if (performance.now() + waitMs >= endsAt)
                throw error;
            await sleep(waitMs, signal);
        }
    }
}
