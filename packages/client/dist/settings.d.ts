/** Where a call goes and as whom. What is left out is taken from the environment of the process. */
export interface Target {
    /** Address of the platform, e.g. `https://candela.example.com`. Default: `PLATFORM_URL`. */
    readonly url?: string | undefined;
    /** An API key of the platform. Default: `PLATFORM_API_KEY`. */
    readonly apiKey?: string | undefined;
    /** Environment to ask in, e.g. `staging`. Default: the key's own. */
    readonly environment?: string | undefined;
    /** Default: the key's own project. */
    readonly projectId?: string | undefined;
    /** Default: what the project routes to. */
    readonly databaseConfigId?: string | undefined;
}
export interface PromptCacheOptions {
    /** Milliseconds for which a prompt is used without asking. Default 60,000; 0 asks every time. */
    readonly ttlMs?: number;
    /** Milliseconds for which an older copy is used while the platform cannot be reached. Default 86,400,000; 0: never. */
    readonly staleMs?: number;
    /** Prompts held at most; the least recently used one goes first. Default 500. */
    readonly maxEntries?: number;
}
export interface ClientOptions extends Target {
    /** Milliseconds that one attempt may take. Default 10,000. */
    readonly timeoutMs?: number;
    /** Milliseconds that a call may take with all its attempts and waits. Default 30,000. */
    readonly totalTimeoutMs?: number;
    /** Attempts after the first one. Default 3. */
    readonly retries?: number;
    /** Of `getPrompt`; false holds nothing. */
    readonly promptCache?: PromptCacheOptions | false;
    /** Sent with every call, e.g. `{ applicationName: 'checkout' }`; those of a call win. */
    readonly metaProperties?: Readonly<Record<string, unknown>>;
    /** Used instead of the global `fetch`, e.g. one that goes through a proxy. */
    readonly fetch?: typeof fetch;
}
export interface Settings {
    /** Without a slash at its end. */
    readonly url: string;
    readonly apiKey: string;
    readonly contextHeaders: Readonly<Record<string, string>>;
    readonly timeoutMs: number;
    readonly totalTimeoutMs: number;
    readonly retries: number;
    readonly cache: {
        readonly ttlMs: number;
        readonly staleMs: number;
        readonly maxEntries: number;
    };
    readonly metaProperties: Readonly<Record<string, unknown>>;
    readonly fetch: typeof fetch;
}
/** Fills in what was left out; throws a `CandelaError` of code `configuration` for what cannot be right. */
export declare function resolveSettings(options: ClientOptions): Settings;
