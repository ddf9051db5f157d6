import { listAuditEvents } from './audit.ts';
import { getPlatformHealth, getReady } from './health.ts';
import { IDENTITY_ROUTES } from './identity/routes.ts';
import {
  checkConnector,
  createConnector,
  deleteConnector,
  getConnector,
  listConnectors,
  migrateConnector,
  updateConnector,
} from './connectors/connectors.ts';
import { getRetention, updateRetention } from './connectors/retention.ts';
import { getDbConfig, getRouting, updateRouting } from './connectors/routing.ts';
import { CHAT_ROUTES } from './chat/index.ts';
import { ALERT_ROUTES } from './alerts/index.ts';
import { BOARD_ROUTES } from './boards/index.ts';
import { COLLECTOR_ROUTES, CONTROLLER_ROUTES } from './controller/index.ts';
import { CONTEXT_ROUTES } from './contexts/index.ts';
import { JOB_ROUTES } from './jobs/index.ts';
import { MEDIA_ROUTES } from './media/index.ts';
import { MODEL_ROUTES } from './models/index.ts';
import { OAUTH_ROUTES } from './oauth/index.ts';
import { VAULT_ROUTES } from './vault/index.ts';
import { PRICE_ROUTES } from './pricing.ts';
import { PROMPT_ROUTES } from './prompts/index.ts';
import type { RouteDeclaration } from './route.ts';
import { EVALUATION_ROUTES, JUDGE_ROUTES } from './evaluations/index.ts';
import { SCANNER_ROUTES } from './scanners/index.ts';
import { RULE_ROUTES } from './rules/index.ts';
import { agentGraph, getAgent, getAgentVersion, listAgents } from './telemetry/agents.ts';
import { aggregate } from './telemetry/aggregate.ts';
import { spanDurations } from './telemetry/durations.ts';
import { facets } from './telemetry/facets.ts';
import { getGpu, getGpuCurves, getHost, getHostCalls, getHostCurves, listHosts } from './telemetry/hosts.ts';
import { getIngestHealth } from './telemetry/ingest-health.ts';
import {
  getCodingPolicy,
  getCodingSession,
  searchCodingSessions,
  searchCodingUsers,
  summariseCodingAgents,
} from './telemetry/coding-agents.ts';
import {
  createCodingDispute,
  listCodingDisputes,
  resolveCodingDispute,
  withdrawCodingDispute,
} from './telemetry/coding-disputes.ts';
import { compare } from './telemetry/compare.ts';
import { listFields, listFieldValues } from './telemetry/fields.ts';
import { exportRows } from './telemetry/export.ts';
import { tail } from './telemetry/tail.ts';
import { getException, searchExceptions, triageException } from './telemetry/exceptions.ts';
import { getLog, getLogContext, searchLogs } from './telemetry/logs.ts';
import { listMetricLabels, listMetrics, queryMetric, queryMetricHeatmap } from './telemetry/metrics.ts';
import { findSaid, searchSession } from './telemetry/said.ts';
import { searchTrace } from './telemetry/trace-search.ts';
import { createView, deleteView, getView, listViews, updateView } from './telemetry/views.ts';
import { getSession, getSessionTurns, listSessions, sessionPreviews } from './telemetry/sessions.ts';
import {
  getHierarchy,
  getSpan,
  getTrace,
  searchSpans,
  searchTraces,
  tracePreviews,
} from './telemetry/traces.ts';
import { eraseUserData } from './telemetry/erasure.ts';
import { getUser, listUsers } from './telemetry/users.ts';

/** Every route of the API; the one registry. */
export const ROUTES = {
  getPlatformHealth,
  getReady,
  searchTraces,
  tracePreviews,
  searchSpans,
  spanDurations,
  getTrace,
  getSpan,
  getHierarchy,
  searchCodingSessions,
  searchCodingUsers,
  summariseCodingAgents,
  getCodingSession,
  getCodingPolicy,
  listCodingDisputes,
  createCodingDispute,
  resolveCodingDispute,
  withdrawCodingDispute,
  searchLogs,
  getLog,
  getLogContext,
  searchExceptions,
  getException,
  triageException,
  listMetrics,
  listMetricLabels,
  queryMetric,
  queryMetricHeatmap,
  aggregate,
  facets,
  tail,
  listFields,
  listFieldValues,
  compare,
  exportRows,
  listViews,
  createView,
  getView,
  updateView,
  deleteView,
  listAuditEvents,
  getIngestHealth,
  searchTrace,
  findSaid,
  searchSession,
  listSessions,
  sessionPreviews,
  getSession,
  getSessionTurns,
  listUsers,
  getUser,
  listAgents,
  getAgent,
  getAgentVersion,
  agentGraph,
  listHosts,
  getHost,
  getHostCurves,
  getHostCalls,
  getGpu,
  getGpuCurves,
  listConnectors,
  getConnector,
  createConnector,
  updateConnector,
  deleteConnector,
  checkConnector,
  migrateConnector,
  getRouting,
  updateRouting,
  getDbConfig,
  getRetention,
  updateRetention,
  eraseUserData,
  ...IDENTITY_ROUTES,
  ...OAUTH_ROUTES,
  ...VAULT_ROUTES,
  ...PROMPT_ROUTES,
  ...MODEL_ROUTES,
  ...MEDIA_ROUTES,
  ...JOB_ROUTES,
  ...PRICE_ROUTES,
  ...RULE_ROUTES,
  ...SCANNER_ROUTES,
  ...EVALUATION_ROUTES,
  ...JUDGE_ROUTES,
  ...CONTEXT_ROUTES,
  ...CHAT_ROUTES,
  ...BOARD_ROUTES,
  ...ALERT_ROUTES,
  ...CONTROLLER_ROUTES,
  ...COLLECTOR_ROUTES,
} as const satisfies Record<string, RouteDeclaration>;

export type RouteId = keyof typeof ROUTES;
