import { type GenAiFacts, SEPARATE_OPERATIONS, type TokenUsage } from '@candela/semconv';
import { COUNTS, NAMES } from './counts.ts';
import { type Mark, MARKS, type ModelCallRegistry } from './model-calls.ts';
import { keepOneOfEach } from './same-response.ts';
import { FIELD, NO_BYTES, NOBODY, SpansOfRequest } from './spans-of-request.ts';

/**
 * Plain spans below a call that later requests may have the same call below: those of HTTP, with redirects and attempts. Of more,
 * as where all spans of a program are below one call, each would push out what is known of another.
 */
const MOST_TOLD = 32;
/** Ancestors of a span that are looked at for what is above it. */
const MOST_ABOVE = 256;

/**
 * Decides which model calls of a request count their usage.
 *
 * - A parent that is a model call too repeats the tokens of its children, so one side counts: the children; the parent where it
 *   came in an earlier request, or names a session, user or agent that its only child of the same usage does not. (Children end
 *   first and so mostly come first; not where they are sent by another process.) A call without tokens repeats nothing and takes
 *   nothing away; an embedding is no part of a chat.
 * - A call below another with plain spans in between, as those of HTTP between a client and a gateway, is the same call if
 *   both used as many tokens; else nobody could tell it from a call that a service makes of its own. Plain is what has no GenAI
 *   facts, not what is a tool or an agent; or a call that does not say its tokens.
 * - Calls that are not above each other are the same one by the id of their response, or as siblings of two scopes with the same
 *   usage in the same second (same-response.ts).
 * - Usage of what is no call (an agent, a workflow) counts where nothing below it uses tokens.
 *
 * What was decided of a span stays decided when it is sent again. A repeat that comes later and names what the counted call does
 * not counts for these names alone. What cannot be told is in docs/explore/charts-and-facets.md.
 */
export class CallsOfRequest {
  readonly #registry: ModelCallRegistry;
  readonly #spans = new SpansOfRequest();
  readonly #calls: number[] = [];
  readonly #responseIds = new Map<number, string>();
  /** Spans with usage that are no calls. */
  readonly #holders: number[] = [];
  /** Plain spans below a call. */
  readonly #passing: number[] = [];
  #isGenAi = false;
  #tenant = 0;
  #view: DataView = NO_BYTES;

  constructor(registry: ModelCallRegistry) {
    this.#registry = registry;
  }

  /** Begins a request of a project. */
  begin(tenant: number): void {
    this.#tenant = tenant;
    this.#clear();
  }

  /** `parentAt`: -1 without a parent. */
  addPlain(traceAt: number, spanAt: number, parentAt: number): void {
    this.#spans.add(traceAt, spanAt, parentAt, NOBODY, 0, 0);
  }

  /** A span with GenAI facts that is no model call. @param row where it has usage, else NOBODY */
  addOther(row: number, traceAt: number, spanAt: number, parentAt: number): void {
    const span = this.#spans.add(traceAt, spanAt, parentAt, NOBODY, 0, 0);
    this.#spans.set(span, FIELD.opaque, 1);
    this.#spans.set(span, FIELD.names, row);
    if (row !== NOBODY) this.#holders.push(span);
    this.#isGenAi = true;
  }

  addCall(row: number, traceAt: number, spanAt: number, parentAt: number, facts: Used): void {
    const kind = kindOf(facts.operation);
    const spans = this.#spans;
    const call = spans.add(traceAt, spanAt, parentAt, row, kind, usedOf(facts.usage, kind));
    spans.set(call, FIELD.names, facts.names ?? 0);
    spans.set(call, FIELD.scope, facts.scope ?? 0);
    spans.set(call, FIELD.second, facts.second ?? 0);
    if (facts.responseId !== undefined && facts.responseId !== '')
      this.#responseIds.set(call, facts.responseId);
    this.#calls.push(call);
    this.#isGenAi = true;
  }

  /** Tells of each call in `view` what it counts. Once, when all spans are added: parents may come after their children. */
  settle(view: DataView, tell: (row: number, counts: number) => void): void {
    if (this.#isGenAi) {
      this.#view = view;
      this.#spans.connect(view);
      this.#findRicherParents();
      for (const call of this.#calls) this.#announce(call);
      for (let span = 0; span < this.#spans.count; span++) this.#announceAgain(span);
      for (const call of this.#calls) this.#settleFromAbove(call);
      for (const span of this.#passing) this.#tellBelow(span);
      const named = keepOneOfEach(
        this.#calls,
        this.#responseIds,
        this.#spans,
        this.#registry,
        view,
        this.#tenant,
      );
      for (const call of this.#calls) this.#tellNames(call);
      for (const call of this.#calls)
        tell(this.#of(call, FIELD.row), this.#countsOf(call) | (named.get(call) ?? 0));
      this.#settleHolders(tell);
    }
    this.#clear();
  }

  /** Lets go of the request, its bytes too: a worker may wait long for the next. */
  #clear(): void {
    this.#view = NO_BYTES;
    this.#spans.clear();
    this.#calls.length = 0;
    this.#responseIds.clear();
    this.#holders.length = 0;
    this.#passing.length = 0;
    this.#isGenAi = false;
  }

  /** Lets a call count in place of the only one below it of the same usage, where it names more and neither was settled before. */
  #findRicherParents(): void {
    for (const call of this.#calls) {
      const above = this.#of(call, FIELD.call);
      if (above !== NOBODY && above !== call && this.#of(call, FIELD.used) !== 0)
        this.#spans.set(above, FIELD.children, this.#of(above, FIELD.children) + 1);
    }
    for (const call of this.#calls) {
      const above = this.#of(call, FIELD.call);
      if (above === NOBODY || above === call || this.#of(above, FIELD.children) !== 1) continue;
      const kind = this.#of(above, FIELD.kind);
      const isSame =
        this.#of(call, FIELD.used) === this.#of(above, FIELD.used) && this.#of(call, FIELD.kind) === kind;
      const isRicher = this.#of(above, FIELD.names) > this.#of(call, FIELD.names);
      if (!isSame || !isRicher || this.#has(above, FIELD.id, MARKS.parent, kind) || this.#isSettled(call))
        continue;
      this.#spans.set(above, FIELD.takes, 1);
    }
  }

  #isSettled(call: number): boolean {
    const kind = this.#of(call, FIELD.kind);
    return this.#accounts(call, FIELD.id, kind) || this.#has(call, FIELD.id, MARKS.parent, kind);
  }

  /** Marks what is above a call. */
  #announce(call: number): void {
    if (this.#of(call, FIELD.parent) === NOBODY) return;
    const kind = this.#of(call, FIELD.kind);
    if (this.#of(call, FIELD.used) === 0) {
      // What an earlier request had below it is below its parent, too.
      if (this.#has(call, FIELD.id, MARKS.parent, kind)) this.#raise(call, kind);
      return;
    }
    this.#raise(call, kind);
    const same = this.#repeatedBy(call);
    if (same !== NOBODY) {
      this.#pass(call, same, kind);
      this.#mark(same, FIELD.id, MARKS.parent, kind);
    } else if (this.#hasEnd(call)) {
      this.#mark(this.#of(call, FIELD.end), FIELD.parent, MARKS.above, this.#of(call, FIELD.used));
    }
  }

  /** Marks the parent of a call, and through calls without tokens what is above. Each of these passes it on once. */
  #raise(call: number, kind: number): void {
    let at = call;
    do {
      this.#spans.set(at, FIELD.raised, 1);
      if (this.#of(at, FIELD.parent) === NOBODY) return;
      this.#mark(at, FIELD.parent, MARKS.parent, kind);
      at = this.#of(at, FIELD.above);
    } while (this.#isEmpty(at, call) && this.#of(at, FIELD.raised) === 0);
  }

  /** Calls without tokens in between are no calls of their own. Each span is passed once, however many calls are below it. */
  #pass(call: number, same: number, kind: number): void {
    let at = this.#of(call, FIELD.above);
    while (at !== same && this.#of(at, FIELD.passed) === 0) {
      this.#spans.set(at, FIELD.passed, 1);
      if (this.#of(at, FIELD.row) !== NOBODY) this.#mark(at, FIELD.id, MARKS.parent, kind);
      at = this.#of(at, FIELD.above);
    }
  }

  /** What an earlier request had below a plain span or a call is repeated by the call there or above it. */
  #announceAgain(span: number): void {
    if (this.#of(span, FIELD.opaque) === 1) return;
    const isPlain = this.#of(span, FIELD.row) === NOBODY;
    const call = isPlain ? this.#of(span, FIELD.call) : span;
    if (call === NOBODY) return;
    const used = this.#of(call, FIELD.used);
    if (used === 0) return;
    if (this.#has(span, FIELD.id, MARKS.above, used)) {
      this.#mark(call, FIELD.id, MARKS.parent, this.#of(call, FIELD.kind));
      for (const mark of [MARKS.unnamed, MARKS.unagented])
        if (this.#has(span, FIELD.id, mark, used)) this.#mark(call, FIELD.id, mark, used);
    }
    if (isPlain) this.#passing.push(span);
  }

  #tellBelow(span: number): void {
    const call = this.#of(span, FIELD.call);
    const told = this.#of(call, FIELD.told);
    if (told === MOST_TOLD || !this.#accounts(call, FIELD.id, this.#of(call, FIELD.kind))) return;
    this.#spans.set(call, FIELD.told, told + 1);
    this.#mark(span, FIELD.id, MARKS.below, this.#of(call, FIELD.used));
  }

  /** Calls above are settled first: what they cover is known by then. */
  #settleFromAbove(call: number): void {
    const turn: number[] = [];
    for (let at = call; at !== NOBODY && this.#of(at, FIELD.settled) === 0; at = this.#of(at, FIELD.above)) {
      this.#spans.set(at, FIELD.settled, 1);
      if (this.#of(at, FIELD.row) !== NOBODY) turn.push(at);
    }
    for (const one of turn.reverse()) if (this.#counts(one)) this.#spans.set(one, FIELD.kept, 1);
  }

  #counts(call: number): boolean {
    const kind = this.#of(call, FIELD.kind);
    const own = this.#of(call, FIELD.used) === 0 ? MARKS.empty : MARKS.counted;
    if (this.#has(call, FIELD.id, MARKS.revoked, kind)) return false;
    if (this.#has(call, FIELD.id, own, kind)) {
      this.#spans.set(call, FIELD.known, 1);
      return true;
    }
    if (this.#isCovered(call, kind)) {
      this.#mark(call, FIELD.id, MARKS.covered, kind);
      return false;
    }
    if (this.#of(call, FIELD.takes) === 0 && this.#has(call, FIELD.id, MARKS.parent, kind)) return false;
    this.#mark(call, FIELD.id, own, kind);
    return true;
  }

  #isCovered(call: number, kind: number): boolean {
    if (this.#of(call, FIELD.parent) === NOBODY) return false;
    if (this.#accounts(call, FIELD.parent, kind)) return true;
    const used = this.#of(call, FIELD.used);
    if (used === 0) return false;
    const same = this.#repeatedBy(call);
    if (same !== NOBODY) return this.#accounts(same, FIELD.id, kind);
    return this.#hasEnd(call) && this.#has(this.#of(call, FIELD.end), FIELD.parent, MARKS.below, used);
  }

  /** Tells what is above a call what it does not name, whether it counts or repeats one below that does not name it either. */
  #tellNames(call: number): void {
    const used = this.#of(call, FIELD.used);
    if (used === 0 || this.#of(call, FIELD.parent) === NOBODY) return;
    const names = this.#of(call, FIELD.names);
    const kept = this.#of(call, FIELD.kept) === 1;
    for (const [mark, of] of UNNAMED) {
      if ((names & of) !== 0 || !(kept || this.#has(call, FIELD.id, mark, used))) continue;
      this.#mark(call, FIELD.parent, mark, used);
      if (this.#hasEnd(call)) this.#mark(this.#of(call, FIELD.end), FIELD.parent, mark, used);
    }
  }

  /** A repeat counts for what it names and the counted call does not. */
  #countsOf(call: number): number {
    if (this.#of(call, FIELD.kept) === 1) return COUNTS.everywhere;
    const used = this.#of(call, FIELD.used);
    if (used === 0) return COUNTS.nowhere;
    const names = this.#of(call, FIELD.names);
    let counts: number = COUNTS.nowhere;
    for (const [mark, of, bit] of UNNAMED)
      if ((names & of) !== 0 && this.#has(call, FIELD.id, mark, used)) counts |= bit;
    return counts;
  }

  /** Usage of agents and workflows counts where nothing below uses tokens, the deepest first. */
  #settleHolders(tell: (row: number, counts: number) => void): void {
    for (const call of this.#calls) if (this.#of(call, FIELD.used) !== 0) this.#carry(call);
    for (let span = 0; span < this.#spans.count; span++) {
      if (this.#of(span, FIELD.carries) === 1 || !this.#has(span, FIELD.id, MARKS.carries, 0)) continue;
      this.#spans.set(span, FIELD.carries, 1);
      this.#carry(span);
    }
    const depths = new Map(this.#holders.map((holder) => [holder, this.#depthOf(holder)]));
    for (const holder of this.#holders.toSorted((a, b) => (depths.get(b) ?? 0) - (depths.get(a) ?? 0))) {
      const isCounted = this.#has(holder, FIELD.id, MARKS.counted, 0);
      const isCovered =
        depths.get(holder) === NOBODY ||
        this.#of(holder, FIELD.carries) === 1 ||
        (this.#of(holder, FIELD.parent) !== NOBODY && this.#accounts(holder, FIELD.parent, 0));
      if (!isCounted && isCovered) continue;
      this.#mark(holder, FIELD.id, MARKS.counted, 0);
      this.#carry(holder);
      tell(this.#of(holder, FIELD.names), COUNTS.everywhere);
    }
  }

  /** Marks what is above a span that uses tokens, up to what a later request may bring. */
  #carry(span: number): void {
    for (let at = span; this.#of(at, FIELD.parent) !== NOBODY; ) {
      const above = this.#of(at, FIELD.above);
      if (above === NOBODY) {
        this.#mark(at, FIELD.parent, MARKS.carries, 0);
        return;
      }
      if (this.#of(above, FIELD.carries) === 1) return;
      this.#spans.set(above, FIELD.carries, 1);
      at = above;
    }
  }

  /** How many spans of the request are above one; NOBODY where a call with tokens is among them. */
  #depthOf(span: number): number {
    let depth = 0;
    for (
      let at = this.#of(span, FIELD.above);
      at !== NOBODY && depth < MOST_ABOVE;
      at = this.#of(at, FIELD.above)
    ) {
      if (this.#of(at, FIELD.used) !== 0) return NOBODY;
      depth++;
    }
    return depth;
  }

  /** The call above that is the same one, with spans in between. */
  #repeatedBy(call: number): number {
    const above = this.#of(call, FIELD.call);
    if (above === NOBODY || above === call || above === this.#of(call, FIELD.above)) return NOBODY;
    return this.#of(above, FIELD.used) === this.#of(call, FIELD.used) ? above : NOBODY;
  }

  /** Whether something is above a call that this request does not have, with nothing but plain spans in between. */
  #hasEnd(call: number): boolean {
    const end = this.#of(call, FIELD.end);
    return end !== NOBODY && this.#of(end, FIELD.parent) !== NOBODY;
  }

  /** Whether a span is a call without tokens of the kind of `call`. */
  #isEmpty(span: number, call: number): boolean {
    return (
      span !== NOBODY &&
      this.#of(span, FIELD.row) !== NOBODY &&
      this.#of(span, FIELD.used) === 0 &&
      this.#of(span, FIELD.kind) === this.#of(call, FIELD.kind)
    );
  }

  /** Whether the usage of a call counts, there or above it. */
  #accounts(span: number, id: IdField, kind: number): boolean {
    return this.#has(span, id, MARKS.counted, kind) || this.#has(span, id, MARKS.covered, kind);
  }

  #of(span: number, field: (typeof FIELD)[keyof typeof FIELD]): number {
    return this.#spans.get(span, field);
  }

  /** Whether a span, or the parent of a span, has a mark. */
  #has(span: number, id: IdField, mark: Mark, about: number): boolean {
    const [traceAt, spanAt] = [this.#of(span, FIELD.trace), this.#of(span, id)];
    return this.#registry.has(this.#view, traceAt, spanAt, this.#tenant, mark, about);
  }

  #mark(span: number, id: IdField, mark: Mark, about: number): void {
    const [traceAt, spanAt] = [this.#of(span, FIELD.trace), this.#of(span, id)];
    this.#registry.add(this.#view, traceAt, spanAt, this.#tenant, mark, about);
  }
}

/** What a call may leave unnamed: its mark, the names that would do, what its repeat counts for. */
const UNNAMED: readonly (readonly [Mark, number, number])[] = [
  [MARKS.unnamed, NAMES.session | NAMES.user, COUNTS.named],
  [MARKS.unagented, NAMES.agent, COUNTS.agent],
];

type IdField = typeof FIELD.id | typeof FIELD.parent;

/** What is asked of a call besides its ids. */
export interface Used {
  readonly operation: GenAiFacts['operation'];
  readonly usage: TokenUsage;
  readonly responseId?: string;
  /** Bits of `NAMES`. */
  readonly names?: number;
  /** A number of the name of its scope. */
  readonly scope?: number;
  /** The second it began in, since the epoch, in 32 bits. */
  readonly second?: number;
}

const KINDS = new Map(SEPARATE_OPERATIONS.map((name, index) => [name, Math.imul(index + 1, 0x2c1b3c6d)]));

/** Calls of one kind have the same number: embeddings, rerankings and such have their own, the others are text. */
const kindOf = (operation: string): number => KINDS.get(operation) ?? 0;

/** A number of the tokens of a call of a kind, by what all conventions tell alike: those of the input and those of the output. */
function usedOf({ input, cacheRead, cacheWrite, output, reasoning }: TokenUsage, kind: number): number {
  const [into, out] = [Math.round(input + cacheRead + cacheWrite), Math.round(output + reasoning)];
  if (into <= 0 && out <= 0) return 0;
  const mixed = Math.imul(Math.imul(into, 0x9e3779b1) ^ (into >>> 15) ^ out, 0x85ebca6b);
  return mixed ^ (mixed >>> 13) ^ kind || 1;
}
