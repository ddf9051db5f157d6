/**
 * Equal calls that run at the same time share one request. Who aborts leaves it to the others; the request ends when
 * nobody waits for it any more.
 */
export declare class Flights<T> {
    #private;
    join(key: string, signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>): Promise<T>;
}
