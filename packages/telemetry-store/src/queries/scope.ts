import type { Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { compileSpanFilter } from './compile.ts';
import { Params } from './params.ts';

/** Half open: from inclusive, to exclusive, nanoseconds since the epoch. */
export interface Window {
  readonly from: bigint;
  readonly to: bigint;
}

type Table = 'otel_traces' | 'otel_logs';

/**
 * The beginning of every statement on spans, or on the log records beside them: it cannot be made without knowing who asks, and what it selects from is
 * already limited to that project (and environment). Conditions are added with `and`, each in parentheses.
 */
export class SpanScope {
  readonly params: Params;
  private readonly table: Table;
  private readonly conditions: readonly string[];

  private constructor(table: Table, params: Params, conditions: readonly string[]) {
    this.table = table;
    this.params = params;
    this.conditions = conditions;
  }

  static of(context: RequestContext, table: Table = 'otel_traces'): SpanScope {
    const params = new Params();
    const tenant = [`ProjectId = ${params.bind(context.projectId, 'String')}`];
    if (context.environment !== undefined) {
      tenant.push(`Environment = ${params.bind(context.environment, 'String')}`);
    }
    return new SpanScope(table, params, tenant);
  }

  /** A scope with one more condition; the parameters stay shared, so that both can be used in one statement. */
  and(condition: string): SpanScope {
    return new SpanScope(this.table, this.params, [...this.conditions, `(${condition})`]);
  }

  during(window: Window): SpanScope {
    return this.and(
      `Timestamp >= ${this.params.time(window.from)} AND Timestamp < ${this.params.time(window.to)}`,
    );
  }

  matching(filter: Filter | undefined): SpanScope {
    return filter === undefined ? this : this.and(compileSpanFilter(filter, this.params));
  }

  /** `FROM <table> WHERE ...` */
  get from(): string {
    return `FROM ${this.table} WHERE ${this.conditions.join(' AND ')}`;
  }
}
