/**
 * Calls that tell the same response without being above each other: an instrumentation and the vendor's own SDK write a span each.
 * They are one by the id of the response, in any trace and request; or as siblings of two scopes that used as many tokens and began
 * in the same second. Calls of one scope are never taken for one by that: an application may ask the same twice at once.
 */
import { COUNTS, NAMES } from './counts.ts';
import { type Mark, MARKS, type ModelCallRegistry } from './model-calls.ts';
import { FIELD, NOBODY, type SpansOfRequest } from './spans-of-request.ts';

/** Ids of responses are remembered for so long: servers of tests give the same one to everybody. */
const SECONDS_OF_ID = 900;

/**
 * Takes the count from all but one of the calls that are the same.
 * @returns by call what it still counts for: the names that the kept one does not have
 */
export function keepOneOfEach(
  calls: readonly number[],
  responseIds: ReadonlyMap<number, string>,
  spans: SpansOfRequest,
  registry: ModelCallRegistry,
  view: DataView,
  tenant: number,
): Map<number, number> {
  const named = new Map<number, number>();
  const kept = calls.filter((call) => spans.get(call, FIELD.kept) === 1);
  // The one that names most is kept, of equals the first.
  const ranked = kept.toSorted((a, b) => rank(b) - rank(a));
  for (const call of ranked) {
    const same = byResponse(call) || bySibling(call);
    if (same && spans.get(call, FIELD.known) === 0) revoke(call);
  }
  return named;

  /** What was counted in an earlier request stays, whatever it names. */
  function rank(call: number): number {
    return spans.get(call, FIELD.names) + spans.get(call, FIELD.known) * 8;
  }

  function revoke(call: number): void {
    spans.set(call, FIELD.kept, 0);
    registry.add(
      view,
      spans.get(call, FIELD.trace),
      spans.get(call, FIELD.id),
      tenant,
      MARKS.revoked,
      spans.get(call, FIELD.kind),
    );
  }

  /** Whether another call counts the response of this one; else this one is remembered as the one that does. */
  function byResponse(call: number): boolean {
    const id = responseIds.get(call);
    if (id === undefined) return false;
    const kind = spans.get(call, FIELD.kind);
    const period = Math.floor(spans.get(call, FIELD.second) / SECONDS_OF_ID);
    const about = (of: number): number => kind ^ Math.imul(of, 0x2c9277b5);
    for (const near of [period, period - 1, period + 1]) {
      const has = (mark: Mark): boolean => registry.hasText(id, tenant, mark, about(near));
      if (!has(MARKS.answered)) continue;
      if (spans.get(call, FIELD.known) === 0) nameFor(call, has);
      return true;
    }
    remember(call, (mark) => {
      registry.addText(id, tenant, mark, about(period));
    });
    registry.addText(id, tenant, MARKS.answered, about(period));
    return false;
  }

  function bySibling(call: number): boolean {
    const used = spans.get(call, FIELD.used);
    if (used === 0 || spans.get(call, FIELD.parent) === NOBODY) return false;
    const [trace, parent] = [spans.get(call, FIELD.trace), spans.get(call, FIELD.parent)];
    const scope = spans.get(call, FIELD.scope);
    const second = spans.get(call, FIELD.second);
    const about = (of: number): number => used ^ Math.imul(of + 1, 0x165667b1);
    const has = (mark: Mark, of: number): boolean => registry.has(view, trace, parent, tenant, mark, of);
    for (const near of [second, second - 1, second + 1]) {
      if (!has(MARKS.twin, about(near)) || has(MARKS.twinOfScope, about(near) ^ scope)) continue;
      // Two ids are compared by themselves.
      if (responseIds.has(call) && has(MARKS.twinWithId, about(near))) continue;
      if (spans.get(call, FIELD.known) === 0) nameFor(call, (mark) => has(mark, about(near)));
      return true;
    }
    const mark = (name: Mark, of: number): void => {
      registry.add(view, trace, parent, tenant, name, of);
    };
    mark(MARKS.twin, about(second));
    mark(MARKS.twinOfScope, about(second) ^ scope);
    if (responseIds.has(call)) mark(MARKS.twinWithId, about(second));
    remember(call, (name) => {
      mark(name, about(second));
    });
    return false;
  }

  /** Remembers what a call that counts does not name. */
  function remember(call: number, mark: (mark: Mark) => void): void {
    const names = spans.get(call, FIELD.names);
    if ((names & (NAMES.session | NAMES.user)) === 0) mark(MARKS.unnamed);
    if ((names & NAMES.agent) === 0) mark(MARKS.unagented);
  }

  function nameFor(call: number, has: (mark: Mark) => boolean): void {
    const names = spans.get(call, FIELD.names);
    let counts: number = COUNTS.nowhere;
    if ((names & (NAMES.session | NAMES.user)) !== 0 && has(MARKS.unnamed)) counts |= COUNTS.named;
    if ((names & NAMES.agent) !== 0 && has(MARKS.unagented)) counts |= COUNTS.agent;
    if (counts !== 0) named.set(call, counts);
  }
}
