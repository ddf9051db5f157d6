import type { RequestContext } from '@candela/kernel';

/** How long after it was asked an answer is given to others. */
const KEEP_MS = 1_000;
const MAX_ANSWERS = 500;

interface Shared {
  readonly answer: Promise<unknown>;
  readonly end: AbortController;
  waiting: number;
  settled: boolean;
}

/**
 * Answers that several readers get of one run: whoever asks the same of the same project with the same permissions while
 * it is made, or within a second of its beginning, joins. It ends when everybody left.
 */
export class SharedAnswers {
  readonly #answers = new Map<string, Shared>();

  /**
   * @param question all that decides the answer besides the tenant and its permissions; as JSON, in which a bigint may stand
   * @throws what `make` throws; the reason of `signal`
   */
  async ask<T>(
    context: RequestContext,
    question: readonly unknown[],
    signal: AbortSignal,
    make: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    const key = keyOf(context, question);
    const shared = this.#answers.get(key) ?? this.#begin(key, make);
    shared.waiting += 1;
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    try {
      return (await Promise.race([shared.answer, left.promise])) as T;
    } finally {
      signal.removeEventListener('abort', leave);
      shared.waiting -= 1;
      if (shared.waiting === 0 && !shared.settled) {
        this.#drop(key, shared);
        shared.end.abort(signal.reason);
      }
    }
  }

  /** From now on everything is asked anew: rows were stored, which no answer of before holds. */
  forget(): void {
    this.#answers.clear();
  }

  #begin(key: string, make: (signal: AbortSignal) => Promise<unknown>): Shared {
    const end = new AbortController();
    const shared: Shared = { answer: make(end.signal), end, waiting: 0, settled: false };
    this.#answers.set(key, shared);
    const oldest = this.#answers.keys().next();
    if (this.#answers.size > MAX_ANSWERS && oldest.done !== true) this.#answers.delete(oldest.value);
    const startedAt = performance.now();
    shared.answer.then(
      () => {
        shared.settled = true;
        const left = Math.max(0, startedAt + KEEP_MS - performance.now());
        setTimeout(() => this.#drop(key, shared), left).unref();
      },
      () => {
        shared.settled = true;
        this.#drop(key, shared);
      },
    );
    return shared;
  }

  #drop(key: string, shared: Shared): void {
    if (this.#answers.get(key) === shared) this.#answers.delete(key);
  }
}

function keyOf(context: RequestContext, question: readonly unknown[]): string {
  const { organisationId, projectId, environment, databaseConfigId, scopes, principal } = context;
  const role = 'role' in principal ? principal.role : undefined;
  const tenant = [organisationId, projectId, environment ?? null, databaseConfigId];
  return JSON.stringify(
    [tenant, principal.kind, role ?? null, [...scopes].toSorted(), question],
    (_, value) => (typeof value === 'bigint' ? `${value}n` : (value as unknown)),
  );
}
