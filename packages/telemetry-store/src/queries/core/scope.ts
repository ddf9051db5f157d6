import type { Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { compileFilter } from './filter.ts';
import { Params } from './params.ts';
import type { Source } from './source.ts';

/** Half open: from inclusive, to exclusive, nanoseconds since the epoch. */
export interface Window {
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * The beginning of every statement on telemetry: it cannot be made without knowing who asks, and what it selects from
 * is already limited to that project (and environment). Conditions are added with `and`, each in parentheses.
 */
export class Scope {
  readonly params: Params;
  private readonly source: Source;
  private readonly conditions: readonly string[];

  private constructor(source: Source, params: Params, conditions: readonly string[]) {
    this.source = source;
    this.params = params;
    this.conditions = conditions;
  }

  static of(context: RequestContext, source: Source): Scope {
    const params = new Params();
    const tenant = [`ProjectId = ${params.bind(context.projectId, 'String')}`];
    if (context.environment !== undefined) {
      tenant.push(`Environment = ${params.bind(context.environment, 'String')}`);
    }
    return new Scope(source, params, tenant);
  }

  /** A scope with one more condition; the parameters stay shared, so that both can be used in one statement. */
  and(condition: string): Scope {
    return new Scope(this.source, this.params, [...this.conditions, `(${condition})`]);
  }

  during(window: Window): Scope {
    const { time } = this.source;
    return this.and(
      `${time} >= ${this.params.time(window.from)} AND ${time} < ${this.params.time(window.to)}`,
    );
  }

  matching(filter: Filter | undefined): Scope {
    return filter === undefined ? this : this.and(compileFilter(this.source, filter, this.params));
  }

  /** `FROM <table> WHERE ...` */
  get from(): string {
    return `FROM ${this.source.table} WHERE ${this.conditions.join(' AND ')}`;
  }
}
