import type { Settings } from './settings.js';
import { type Answer, type Call } from './transport.js';
/**
 * Milliseconds before attempt `number` + 1: full jitter (a random part of an exponentially growing bound), on top of
 * what the platform asked for, so that many clients refused together do not come back together.
 */
export declare function waitBefore(number: number, retryAfterSeconds: number | null, random: number): number;
/** All calls only read, so each may be repeated. `retries` is 0 where an older copy is at hand. */
export declare function callWithRetries(settings: Settings, call: Call, signal: AbortSignal, retries?: number): Promise<Answer>;
