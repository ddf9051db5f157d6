import { MODEL_LIMITS } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';

/** Bounds how many calls of models are under way, in all and for one person or key: each of them costs money. */
export class CallGate {
  readonly #open = new Map<string, number>();
  #total = 0;

  /** Counts a call; call what it returns when it ended. @throws too_many_calls */
  enter({ principal }: RequestContext, feature: string): () => void {
    const who = principal.kind === 'anonymous' ? 'anonymous' : `${principal.kind} ${principal.id}`;
    const own = this.#open.get(who) ?? 0;
    const { calls } = MODEL_LIMITS;
    const ofPerson = feature === 'playground' ? MODEL_LIMITS.callsOfPlayground : MODEL_LIMITS.callsPerClient;
    // Jobs of all features together are one principal, and leave half of the places to people.
    const callsPerClient = principal.kind === 'system' ? calls / 2 : ofPerson;
    if (own >= callsPerClient) throw fail('too_many_calls', { limit: callsPerClient, where: 'for you' });
    if (this.#total >= calls) throw fail('too_many_calls', { limit: calls, where: 'on this platform' });
    this.#open.set(who, own + 1);
    this.#total += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#total -= 1;
      const now = (this.#open.get(who) ?? 1) - 1;
      if (now > 0) this.#open.set(who, now);
      else this.#open.delete(who);
    };
  }
}
