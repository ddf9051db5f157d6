import type { RequestContext } from '@candela/kernel';
import { contextOf, LIMITS, type QueryBench } from '../core/testing.ts';
import {
  createActivityQueries,
  createAgentQueries,
  createCompareQueries,
  createDurationQueries,
  createExceptionQueries,
  createFieldQueries,
  createLogQueries,
  createMetricQueries,
} from '../index.ts';
import {
  type Asked,
  type ExceptionOf,
  type LogOf,
  readExceptions,
  readLogs,
  readSpans,
  type SpanOf,
} from './model.ts';
import type { Random } from './random.ts';
import type { Sent } from './traffic.ts';

/** What was asked, what the product says and what the rows say: both must be equal. */
export interface Told {
  readonly asked: unknown;
  readonly got: unknown;
  readonly want: unknown;
}

export type Question = (ground: Ground, random: Random) => Promise<Told>;

/** A project with its rows, and all that can be asked about it. */
export interface Ground extends ReturnType<typeof queriesOf> {
  readonly bench: QueryBench;
  readonly project: string;
  readonly spans: readonly SpanOf[];
  readonly logs: readonly LogOf[];
  readonly exceptions: readonly ExceptionOf[];
  readonly points: readonly Sent[];
  of(asked: Asked): RequestContext;
}

function queriesOf({ store, queries }: QueryBench) {
  return {
    queries,
    activity: createActivityQueries(store, LIMITS),
    agents: createAgentQueries(store, LIMITS),
    compare: createCompareQueries(store, LIMITS),
    durations: createDurationQueries(store, LIMITS),
    exceptionQueries: createExceptionQueries(store, LIMITS),
    fields: createFieldQueries(store, LIMITS),
    logQueries: createLogQueries(store, LIMITS),
    metrics: createMetricQueries(store, LIMITS),
  };
}

/** Reads what a project holds; of points that were sent to it. */
export async function groundOf(bench: QueryBench, project: string, points: readonly Sent[]): Promise<Ground> {
  return {
    ...queriesOf(bench),
    bench,
    project,
    spans: await readSpans(bench, project),
    logs: await readLogs(bench, project),
    exceptions: await readExceptions(bench, project),
    points,
    of: ({ environment }) => contextOf(project, environment),
  };
}
