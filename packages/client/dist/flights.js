/**
 * Equal calls that run at the same time share one request. Who aborts leaves it to the others; the request ends when
 * nobody waits for it any more.
 */
export class Flights {
    #running = new Map();
    async join(key, signal, start) {
        signal?.throwIfAborted();
        const flight = this.#running.get(key) ?? this.#start(key, start);
        flight.waiting++;
        if (signal === undefined)
            return flight.result;
        return new Promise((resolve, reject) => {
            const leave = () => {
                if (--flight.waiting === 0) {
                    // Whoever asks the same from now on starts anew.
                    if (this.#running.get(key) === flight)
                        this.#running.delete(key);
                    flight.controller.abort();
                }
                // The reason is the caller's own, of whatever kind, as with fetch.
                reject(signal.reason);
            };
            signal.addEventListener('abort', leave, { once: true });
            flight.result.then(resolve, reject).finally(() => {
                signal.removeEventListener('abort', leave);
            });
        });
    }
    #start(key, start) {
        const controller = new AbortController();
        const flight = {
            controller,
            waiting: 0,
            result: start(controller.signal).finally(() => {
                if (this.#running.get(key) === flight)
                    this.#running.delete(key);
            }),
        };
        // Everybody may have left before it fails.
        flight.result.catch(() => undefined);
        this.#running.set(key, flight);
        return flight;
    }
}
