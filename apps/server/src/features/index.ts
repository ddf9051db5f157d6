import type { RouteId } from '@candela/contract';
import {
  createActivityQueries,
  createAgentQueries,
  createCodingAgentQueries,
  createCompareQueries,
  createDurationQueries,
  createExceptionQueries,
  createExportQueries,
  createFieldQueries,
  createHostQueries,
  createLogQueries,
  createMetricQueries,
  createTailQueries,
  createTelemetryQueries,
} from '@candela/telemetry-store';
import { auditRetention } from '../jobs/audit-retention.ts';
import { usageRetention } from '../jobs/usage-retention.ts';
import type { Handlers } from '../http/handlers.ts';
import { routeFunctions } from '../http/route-functions.ts';
import { activityHandlers } from './activity/routes.ts';
import { agentHandlers } from './agents/routes.ts';
import { ALERT_ROUTES, alertFeature } from './alerts/feature.ts';
import { auditHandlers } from './audit/routes.ts';
import { chatFeature } from './chat/feature.ts';
import { codingAgentHandlers } from './coding-agents/routes.ts';
import { backupFeature } from './backups/feature.ts';
import { boardHandlers } from './boards/routes.ts';
import { PANEL_ROUTES, sharedSources } from './boards/sources.ts';
import { compareHandlers } from './compare/routes.ts';
import { connectorHandlers } from './connectors/routes.ts';
import { controllerFeature } from './controller/feature.ts';
import { fleetFeature } from './controller/opamp/feature.ts';
import { contextHandlers } from './contexts/routes.ts';
import { durationHandlers } from './durations/routes.ts';
import { erasureHandlers } from './erasure/routes.ts';
import { evaluationFeature } from './evaluations/feature.ts';
import { exceptionHandlers } from './exceptions/routes.ts';
import { exportHandlers } from './export/routes.ts';
import type { Feature, FeatureParts } from './feature.ts';
import { fieldHandlers } from './fields/routes.ts';
import { healthFeature } from './health/feature.ts';
import { hostHandlers } from './hosts/routes.ts';
import { ingestHealthFeature } from './ingest-health/feature.ts';
import { jobHandlers } from './jobs/routes.ts';
import { logHandlers } from './logs/routes.ts';
import { mediaFeature } from './media/feature.ts';
import { metricHandlers } from './metrics/routes.ts';
import { metricsPage } from './self-metrics/page.ts';
import { modelHandlers } from './models/routes.ts';
import { openApiPages } from './openapi/pages.ts';
import { priceHandlers } from './pricing/routes.ts';
import { promptFeature } from './prompts/feature.ts';
import { retentionFeature } from './retention/feature.ts';
import { createRuleFeature } from './rules/feature.ts';
import { scannerFeature } from './scanners/feature.ts';
import { tailHandlers } from './tail/routes.ts';
import { telemetryHandlers } from './telemetry/routes.ts';
import { vaultHandlers } from './vault/routes.ts';
import { viewHandlers } from './views/routes.ts';

type Factory = (parts: FeatureParts) => Feature;

/** Every feature of the platform; the registry. A new one adds its line. */
const FEATURES = [
  healthFeature,
  ingestHealthFeature,
  ({ reads, limits, clock }) => ({
    name: 'telemetry',
    handlers: telemetryHandlers(createTelemetryQueries(reads, limits), clock),
  }),
  ({ reads, limits, clock, metadata }) => ({
    name: 'exceptions',
    handlers: exceptionHandlers(createExceptionQueries(reads, limits), clock, metadata),
  }),
  ({ reads, limits, clock }) => ({
    name: 'hosts',
    handlers: hostHandlers(createHostQueries(reads, limits), clock),
  }),
  ({ reads, limits, clock }) => ({
    name: 'logs',
    handlers: logHandlers(createLogQueries(reads, limits), clock),
  }),
  ({ reads, limits, clock }) => ({
    name: 'metrics',
    handlers: metricHandlers(createMetricQueries(reads, limits), clock),
  }),
  ({ metrics, identity }) => ({
    name: 'self-metrics',
    handlers: {},
    pages: [metricsPage(metrics.registry, identity)],
  }),
  ({ clock, metadata }) => ({ name: 'pricing', handlers: priceHandlers(clock, metadata) }),
  () => ({ name: 'openapi', handlers: {}, pages: openApiPages() }),
  ({ reads, limits, clock }) => ({
    name: 'activity',
    handlers: activityHandlers(createActivityQueries(reads, limits), clock),
  }),
  ({ reads, limits, clock }) => ({
    name: 'agents',
    handlers: agentHandlers(createAgentQueries(reads, limits), clock),
  }),
  ({ reads, limits, clock, config, metadata }) => ({
    name: 'coding-agents',
    handlers: codingAgentHandlers(createCodingAgentQueries(reads, limits), clock, config, metadata),
  }),
  ({ reads, limits, clock }) => ({
    name: 'fields',
    handlers: fieldHandlers(createFieldQueries(reads, limits), clock),
  }),
  ({ reads, limits, clock }) => ({
    name: 'durations',
    handlers: durationHandlers(createDurationQueries(reads, limits), clock),
  }),
  ({ reads, limits, clock }) => ({
    name: 'compare',
    handlers: compareHandlers(createCompareQueries(reads, limits), clock),
  }),
  chatFeature,
  ({ reads, limits, clock, config }) => ({
    name: 'export',
    handlers: exportHandlers({
      queries: createExportQueries(reads, limits),
      clock,
      maxRows: config.exportMaxRows,
    }),
  }),
  ({ reads, limits, clock, config, notifier }) => ({
    name: 'tail',
    handlers: tailHandlers({
      queries: createTailQueries(reads, limits),
      notifier,
      clock,
      rowsPerSecond: config.tailRowsPerSecond,
      maxViews: config.maxStreams,
    }),
  }),
  ({ metadata }) => ({ name: 'views', handlers: viewHandlers(metadata) }),
  promptFeature,
  ({ vault, envelope }) => ({ name: 'vault', handlers: vaultHandlers(vault, envelope) }),
  (parts) => ({ name: 'models', handlers: modelHandlers(parts), jobs: [usageRetention(parts.metadata)] }),
  (parts) => ({ name: 'rules', handlers: createRuleFeature(parts) }),
  ({ metadata }) => ({ name: 'contexts', handlers: contextHandlers(metadata) }),
  ({ metadata, clock, answers, handlers }) => ({
    name: 'boards',
    handlers: boardHandlers({
      metadata,
      clock,
      sources: sharedSources(routeFunctions(handlers, PANEL_ROUTES), answers),
    }),
  }),
  (parts) => alertFeature(parts, routeFunctions(parts.handlers, ALERT_ROUTES)),
  ({ metadata, envelope, stores, logs, clock }) => ({
    name: 'connectors',
    handlers: connectorHandlers({
      metadata,
      envelope,
      pool: stores.pool,
      logs,
      builtIn: stores.facts,
      clock,
    }),
  }),
  retentionFeature,
  (parts) => ({ name: 'erasure', handlers: erasureHandlers(parts) }),
  mediaFeature,
  backupFeature,
  scannerFeature,
  controllerFeature,
  fleetFeature,
  evaluationFeature,
  ({ jobs, metadata }) => ({ name: 'jobs', handlers: jobHandlers(jobs, metadata) }),
  ({ people }) => ({ name: 'people', handlers: people.handlers }),
  ({ oauth }) => ({ name: 'oauth', handlers: oauth.handlers, endpoints: [oauth.endpoint] }),
  ({ metadata, clock, config }) => ({
    name: 'audit',
    handlers: auditHandlers(metadata, clock),
    jobs: [auditRetention(metadata, config.auditRetentionDays)],
  }),
] as const satisfies readonly Factory[];

type HandlersIn<F> = F extends (parts: FeatureParts) => { readonly handlers: infer H } ? keyof H : never;
type Unhandled = Exclude<RouteId, HandlersIn<(typeof FEATURES)[number]>>;

/** Makes every feature, in the order of the list. */
export function createFeatures(parts: FeatureParts): readonly Feature[] {
  return FEATURES.map((make) => make(parts));
}

/**
 * The handlers of all features. The compiler names a route that none of them answers.
 * @throws Error where two features answer one route
 */
export function handlersOf(features: readonly Feature[]): Handlers {
  const isComplete: [Unhandled] extends [never] ? true : Unhandled = true;
  if (!isComplete) throw new Error('a route has no handler');
  const owners = new Map<string, string>();
  for (const { name, handlers } of features) {
    for (const id of Object.keys(handlers)) {
      const other = owners.get(id);
      if (other !== undefined) throw new Error(`Two features answer ${id}: ${other} and ${name}`);
      owners.set(id, name);
    }
  }
  return Object.assign({}, ...features.map(({ handlers }) => handlers)) as Handlers;
}
