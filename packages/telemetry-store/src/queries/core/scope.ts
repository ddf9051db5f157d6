import type { Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { compileFilter } from './filter.ts';
import { Params } from './params.ts';
import { pricedRows } from './prices.ts';
import type { ReadContext } from './snapshot.ts';
import { isTaken, type Sample } from './sample.ts';
import type { Source } from './source.ts';
import { tenantConditions } from './tenant.ts';
import { signalOfTable } from './stores.ts';

/** Half open: from inclusive, to exclusive, nanoseconds since the epoch. */
export interface Window {
  readonly from: bigint;
  readonly to: bigint;
}

const SECOND = 1_000_000_000n;
/** Windows of more seconds than this are compared as ranges. */
const FEW_SECONDS = 5n;

/** Before 1970 the whole second of an instant is not found by dividing. */
const isShort = ({ from, to }: Window): boolean => from >= 0n && to - from <= FEW_SECONDS * SECOND;

/** The starts of the seconds that a window touches. */
function secondsOf({ from, to }: Window): bigint[] {
  const first = from / SECOND;
  const count = Number((to + SECOND - 1n) / SECOND - first);
  return Array.from({ length: Math.max(count, 0) }, (_, index) => (first + BigInt(index)) * SECOND);
}

/**
 * The beginning of every statement on telemetry: it cannot be made without knowing who asks, and what it selects from
 * is already limited to that project (and environment). Conditions are added with `and`, each in parentheses.
 */
export class Scope {
  readonly params: Params;
  /** Whose rows these are; together with the table this decides which store is asked. And on whose behalf. */
  readonly context: Pick<RequestContext, 'projectId' | 'environment' | 'principal' | 'client' | 'window'>;
  /** The statement itself keeps the floor: see {@link Scope.masking}. */
  readonly isMasked: boolean;
  private readonly source: Source;
  private readonly conditions: readonly string[];
  private readonly tenant: readonly string[];
  private readonly taken: string | undefined;
  /** Whether costs are those of the prices that people set. */
  readonly costs: 'of people' | 'stored';

  private constructor(
    context: Scope['context'],
    source: Source,
    params: Params,
    tenant: readonly string[],
    conditions: readonly string[] = tenant,
    taken?: string,
    { isMasked = false, costs = 'of people' }: Partial<Pick<Scope, 'isMasked' | 'costs'>> = {},
  ) {
    this.isMasked = isMasked;
    this.context = context;
    this.source = source;
    this.params = params;
    this.tenant = tenant;
    this.conditions = conditions;
    this.taken = taken;
    this.costs = costs;
  }

  /** `params`: those of the statement that this scope becomes a part of. */
  static of(context: ReadContext, source: Source, params: Params = new Params(context)): Scope {
    return new Scope(context, source, params, tenantConditions(context, params));
  }

  /**
   * The rows of users below the floor too, for statements that take their names away (`withFloor`). Only lists of coding agents do;
   * of every other scope the runner leaves such rows out.
   */
  static masking(context: ReadContext, source: Source): Scope {
    const { params, tenant } = Scope.of(context, source);
    return new Scope(context, source, params, tenant, tenant, undefined, { isMasked: true });
  }

  /**
   * The rows of all environments of the tenant that lie in the store of the one that is asked for: for what tells where rows lie,
   * never what is in them.
   */
  static everywhere(context: RequestContext, source: Source): Scope {
    const params = new Params();
    return new Scope(context, source, params, [`ProjectId = ${params.bind(context.projectId, 'String')}`]);
  }

  /** The table that statements of this scope read; all others they read lie in the same store. */
  get table(): string {
    return this.source.table;
  }

  /**
   * The same tenant in another source, for a statement that reads both: the parameters are shared. @throws RangeError
   * when the two may lie in different stores
   */
  over(source: Source): Scope {
    if (signalOfTable(source.table) !== signalOfTable(this.source.table)) {
      throw new RangeError(`${source.table} and ${this.source.table} may lie in different stores`);
    }
    return new Scope(this.context, source, this.params, this.tenant, this.tenant, undefined, {
      isMasked: this.isMasked,
    });
  }

  /** A scope with one more condition; the parameters stay shared, so that both can be used in one statement. */
  and(condition: string): Scope {
    return this.with([...this.conditions, `(${condition})`], this.taken);
  }

  during(window: Window): Scope {
    return this.and(this.within(window));
  }

  /** At one of these instants: the primary key leads to the few granules that hold them. */
  at(instants: readonly bigint[]): Scope {
    const times = [...new Set(instants)];
    return this.and(times.length === 0 ? '0' : `${this.source.time} IN ${this.params.times(times)}`);
  }

  /** In any of the windows. */
  duringAny(windows: readonly Window[]): Scope {
    const parts = windows.map((window) => this.within(window));
    return this.and(parts.length < 2 ? parts.join('') : parts.map((part) => `(${part})`).join(' OR '));
  }

  /**
   * Lets the primary key pass by what lies in none of the windows; it never decides a row. Short windows are told by
   * the seconds they touch: the engine looks those up in a set, where it compares a range with every granule.
   */
  indexed(windows: readonly Window[]): Scope {
    const { short = [], long = [] } = Object.groupBy(windows, (window) =>
      isShort(window) ? 'short' : 'long',
    );
    const seconds = [...new Set(short.flatMap(secondsOf))];
    const parts = long.map((window) => `(${this.within(window)})`);
    if (seconds.length > 0) {
      parts.unshift(`toStartOfSecond(${this.source.time}) IN ${this.params.times(seconds)}`);
    }
    return this.and(`indexHint(${parts.join(' OR ') || '0'})`);
  }

  andAll(conditions: readonly string[]): Scope {
    return conditions.reduce<Scope>((scope, condition) => scope.and(condition), this);
  }

  /** Of a sample of the rows: what is not in it is not read. */
  sampled(sample: Sample | undefined): Scope {
    if (sample === undefined) return this;
    this.params.isSample = true;
    return this.with(this.conditions, isTaken(sample, this.params));
  }

  /** The same rows with the costs as they are stored, not as prices of people make them. */
  get asStored(): Scope {
    const { context, source, params, tenant, conditions, taken } = this;
    return new Scope(context, source, params, tenant, conditions, taken, {
      isMasked: this.isMasked,
      costs: 'stored',
    });
  }

  private with(conditions: readonly string[], taken: string | undefined): Scope {
    const { context, source, params, tenant } = this;
    return new Scope(context, source, params, tenant, conditions, taken, this);
  }

  private within(window: Window): string {
    const { time, inSeconds } = this.source;
    const at = (nanos: bigint) => (inSeconds === true ? this.params.second(nanos) : this.params.time(nanos));
    return `${time} >= ${at(window.from)} AND ${time} < ${at(window.to)}`;
  }

  matching(filter: Filter | undefined): Scope {
    return filter === undefined ? this : this.and(compileFilter(this.source, filter, this.params));
  }

  get where(): string {
    return this.conditions.join(' AND ');
  }

  /** `FROM <rows> WHERE ...`, the rows with the costs that prices of people make. */
  get from(): string {
    const { table } = this.source;
    const sample = this.taken === undefined ? '' : ` PREWHERE ${this.taken}`;
    const priced =
      this.costs === 'stored' ? undefined : pricedRows(table, sample, this.context.projectId, this.params);
    return `FROM ${priced ?? `${table}${sample}`} WHERE ${this.where}`;
  }
}
