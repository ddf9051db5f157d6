import type { Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { compileSpanFilter } from './compile.ts';
import { Params } from './params.ts';

/** Half open: from inclusive, to exclusive, nanoseconds since the epoch. */
export interface Window {
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * The beginning of every statement on spans: it cannot be made without knowing who asks, and what it selects from is
 * already limited to that project (and environment). Conditions are added with `and`, each in parentheses.
 */
export class SpanScope {
  readonly params: Params;
  private readonly conditions: readonly string[];

  private constructor(params: Params, conditions: readonly string[]) {
    this.params = params;
    this.conditions = conditions;
  }

  static of(context: RequestContext): SpanScope {
    const params = new Params();
    const tenant = [`ProjectId = ${params.bind(context.projectId, 'String')}`];
    if (context.environment !== undefined) {
      tenant.push(`Environment = ${params.bind(context.environment, 'String')}`);
    }
    return new SpanScope(params, tenant);
  }

  /** A scope with one more condition; the parameters stay shared, so that both can be used in one statement. */
  and(condition: string): SpanScope {
    return new SpanScope(this.params, [...this.conditions, `(${condition})`]);
  }

  during(window: Window): SpanScope {
    return this.and(
      `Timestamp >= ${this.params.time(window.from)} AND Timestamp < ${this.params.time(window.to)}`,
    );
  }

  matching(filter: Filter | undefined): SpanScope {
    return filter === undefined ? this : this.and(compileSpanFilter(filter, this.params));
  }

  /** `FROM otel_traces WHERE ...` */
  get from(): string {
    return `FROM otel_traces WHERE ${this.conditions.join(' AND ')}`;
  }
}
