import { getHealth, getReady } from './health.ts';
import type { RouteDeclaration } from './route.ts';
import { aggregate, facets } from './telemetry/aggregate.ts';
import { getIngestHealth } from './telemetry/ingest-health.ts';
import { tail } from './telemetry/tail.ts';
import { getLog, getLogContext, searchLogs } from './telemetry/logs.ts';
import { searchTrace } from './telemetry/trace-search.ts';
import { createView, deleteView, getView, listViews, updateView } from './telemetry/views.ts';
import { getHierarchy, getSpan, getTrace, searchSpans, searchTraces } from './telemetry/traces.ts';

/** Every route of the API; the one registry. */
export const ROUTES = {
  getHealth,
  getReady,
  searchTraces,
  searchSpans,
  getTrace,
  getSpan,
  getHierarchy,
  searchLogs,
  getLog,
  getLogContext,
  aggregate,
  facets,
  tail,
  listViews,
  createView,
  getView,
  updateView,
  deleteView,
  getIngestHealth,
  searchTrace,
} as const satisfies Record<string, RouteDeclaration>;

export type RouteId = keyof typeof ROUTES;
