import { readEnvironment } from './environment.js';
import { misconfigured } from './errors.js';
/** Longest timer that Node and browsers keep; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const MAX_RETRIES = 10;
const MAX_CACHE_ENTRIES = 100_000;
function numberWithin(name, value, fallback, least, most) {
    if (value === undefined)
        return fallback;
    if (!Number.isFinite(value) || value < least || value > most) {
        throw misconfigured(`${name} is ${value}: give a number from ${least} to ${most}.`);
    }
    return value;
}
/** Never puts the address itself into an error: it may hold a password. */
function checkedUrl(given) {
    const text = given?.trim() || readEnvironment('PLATFORM_URL');
    if (text === undefined) {
        throw misconfigured('The address of the platform is not known: give `url` or set PLATFORM_URL.');
    }
    let url;
    try {
        url = new URL(text);
    }
    catch {
        throw misconfigured('The address of the platform is not a URL: it looks like https://candela.example.com.');
    }
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
        throw misconfigured('The address of the platform begins with http:// or https://.');
    }
    if (url.username !== '' || url.password !== '') {
        throw misconfigured('The address of the platform holds a user or password: take it out and give `apiKey`.');
    }
    return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
/** A key with a line break in it would be quoted by `fetch` in its own error. */
function checkedKey(given) {
    const key = given?.trim() || readEnvironment('PLATFORM_API_KEY')?.trim();
    if (key === undefined || key === '') {
        throw misconfigured('No API key: give `apiKey` or set PLATFORM_API_KEY. Keys are made in Settings, API keys.');
    }
    if (!/^[\x21-\x7e]+$/.test(key)) {
        throw misconfigured('The API key holds blanks, line breaks or other characters that no key of Candela has.');
    }
    return key;
}
const CONTEXT_HEADERS = [
    ['environment', 'x-platform-environment'],
    ['projectId', 'x-platform-project-id'],
    ['databaseConfigId', 'x-platform-database-config-id'],
];
function contextHeadersOf(options) {
    const headers = {};
    for (const [option, header] of CONTEXT_HEADERS) {
        const value = options[option];
        if (value === undefined || value === '')
            continue;
        if (!/^[\x21-\x7e]+$/.test(value))
            throw misconfigured(`${option} holds characters that no header takes.`);
        headers[header] = value;
    }
    return headers;
}
/** Fills in what was left out; throws a `CandelaError` of code `configuration` for what cannot be right. */
export function resolveSettings(options) {
    const cache = options.promptCache === false ? { ttlMs: 0, staleMs: 0 } : (options.promptCache ?? {});
    return {
        url: checkedUrl(options.url),
        apiKey: checkedKey(options.apiKey),
        contextHeaders: contextHeadersOf(options),
        timeoutMs: numberWithin('timeoutMs', options.timeoutMs, 10_000, 1, MAX_TIMER_MS),
        totalTimeoutMs: numberWithin('totalTimeoutMs', options.totalTimeoutMs, 30_000, 1, MAX_TIMER_MS),
        retries: numberWithin('retries', options.retries, 3, 0, MAX_RETRIES),
        cache: {
            ttlMs: numberWithin('promptCache.ttlMs', cache.ttlMs, 60_000, 0, Number.MAX_SAFE_INTEGER),
            staleMs: numberWithin('promptCache.staleMs', cache.staleMs, 86_400_000, 0, Number.MAX_SAFE_INTEGER),
            maxEntries: numberWithin('promptCache.maxEntries', cache.maxEntries, 500, 1, MAX_CACHE_ENTRIES),
        },
        metaProperties: options.metaProperties ?? {},
        // Called without a `this`: browsers refuse their own fetch on another object.
        fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    };
}
