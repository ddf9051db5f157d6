import type { ALERT_ROUTES as ALERT_API } from '@candela/contract';
import { fail } from '@candela/kernel';
import type { Handlers } from '../../http/handlers.ts';
import { callOf } from '../../http/idempotency.ts';
import { contextOf } from '../../jobs/runner.ts';
import type { Feature, FeatureParts } from '../feature.ts';
import { momentOf } from '../telemetry/service.ts';
import { createDestinations } from './destinations.ts';
import type { EvaluateParts } from './evaluate.ts';
import { alertJobs } from './jobs.ts';
import type { AlertSources } from './kinds/kind.ts';
import { previewAlert } from './preview.ts';
import { createAlerts, placeOf } from './service.ts';
import { iso } from './stored.ts';

/** Routes that kinds of alerts ask. */
export const ALERT_ROUTES = [
  'aggregate',
  'queryMetric',
  'searchExceptions',
  'scoreAnalytics',
  'scoreAgreement',
  'executeSql',
] as const satisfies readonly (keyof AlertSources)[];

/** Alerts: what is watched, what happened, who is told. See README.md. */
export function alertFeature(
  parts: FeatureParts,
  routes: Omit<AlertSources, 'metadata'>,
): Feature<Pick<Handlers, keyof typeof ALERT_API>> {
  const { metadata, envelope, clock, config, jobs, logger } = parts;
  const sources: AlertSources = { ...routes, metadata };
  const alerts = createAlerts({ metadata, sources, clock });
  const sending = {
    metadata,
    envelope,
    clock,
    publicUrl: config.publicUrl,
    send: {
      smtpUrl: config.people.smtpUrl,
      mailFrom: config.people.mailFrom,
      allowPrivate: config.alertPrivateReceivers,
    },
  };
  const destinations = createDestinations(sending);
  const evaluating: EvaluateParts = {
    metadata,
    sources,
    clock,
    owner: jobs.owner,
    // Viewers see what an alert found.
    contextOf: (alert) =>
      contextOf(
        {
          organisationId: alert.organisationId,
          projectId: alert.projectId,
          databaseConfigId: alert.databaseConfigId,
          ...(alert.environment === null ? {} : { environment: alert.environment }),
        },
        'viewer',
      ),
  };

  return {
    name: 'alerts',
    jobs: alertJobs({ evaluating, sending, logger, trigger: (id) => jobs.trigger(id) }),
    handlers: {
      listAlerts: async ({ context, query }) => ({
        data: (await alerts.list(context)).filter(
          ({ status }) => query.status === undefined || status === query.status,
        ),
      }),
      createAlert: async ({ context, body, header }) => ({
        data: await alerts.create(
          context,
          body,
          callOf(context, 'createAlert', header('idempotency-key'), body),
        ),
      }),
      getAlert: async ({ context, params }) => ({ data: await alerts.get(context, params.id) }),
      updateAlert: async ({ context, params, body, header }) => {
        const call = callOf(context, 'updateAlert', header('idempotency-key'), { ...params, body });
        return { data: await alerts.update(context, params.id, body, call) };
      },
      deleteAlert: async ({ context, params, header }) => ({
        data: await alerts.delete(
          context,
          params.id,
          callOf(context, 'deleteAlert', header('idempotency-key'), params),
        ),
      }),
      previewAlert: async ({ context, body, signal }) => {
        const to = momentOf('to', body.to, clock);
        const from = momentOf('from', body.from, clock);
        if (from >= to) throw fail('bad_query', { detail: '"from" must lie before "to".' });
        return { data: await previewAlert(sources, body.alert, { context, from, to, signal }) };
      },
      acknowledgeAlert: async ({ context, params, body, header }) => {
        const call = callOf(context, 'acknowledgeAlert', header('idempotency-key'), { ...params, body });
        return { data: await alerts.acknowledge(context, params.id, body, call) };
      },
      listAlertEvents: ({ context, query }) => alerts.events(context, query),
      listSilences: async ({ context }) => ({ data: await alerts.silences(context) }),
      createSilence: async ({ context, body, header }) => {
        const call = callOf(context, 'createSilence', header('idempotency-key'), body);
        return { data: await alerts.createSilence(context, body, call) };
      },
      endSilence: async ({ context, params, header }) => {
        const call = callOf(context, 'endSilence', header('idempotency-key'), params);
        return { data: await alerts.endSilence(context, params.id, call) };
      },
      listDestinations: async ({ context }) => ({ data: await destinations.list(context) }),
      createDestination: async ({ context, body, header }) => {
        const call = callOf(context, 'createDestination', header('idempotency-key'), body);
        return { data: await destinations.create(context, body, call) };
      },
      updateDestination: async ({ context, params, body, header }) => {
        const call = callOf(context, 'updateDestination', header('idempotency-key'), { ...params, body });
        return { data: await destinations.update(context, params.id, body, call) };
      },
      deleteDestination: async ({ context, params, header }) => {
        const call = callOf(context, 'deleteDestination', header('idempotency-key'), params);
        return { data: await destinations.delete(context, params.id, call) };
      },
      testDestination: async ({ context, params, signal }) => ({
        data: await destinations.test(context, params.id, signal),
      }),
      listDeliveries: async ({ context, query }) => {
        const found = await metadata.alertDeliveries.list(context.projectId, {
          alertId: query.alertId,
          limit: query.limit + 1,
          after: placeOf(query.cursor),
        });
        const page = found.slice(0, query.limit);
        const last = found.length > query.limit ? page.at(-1) : undefined;
        const names = new Map([
          ...(await metadata.alerts.list(context.projectId)).map(({ id, name }) => [id, name] as const),
          ...(await metadata.alertDestinations.list(context.projectId)).map(
            ({ id, name }) => [id, name] as const,
          ),
        ]);
        return {
          data: page.map((one) => ({
            id: one.id,
            alertId: one.alertId,
            alertName: names.get(one.alertId) ?? '',
            destinationId: one.destinationId,
            destinationName: names.get(one.destinationId) ?? '',
            status: one.status,
            events: one.events.length,
            attempts: one.attempts,
            error: one.error,
            createdAt: iso(one.createdAt),
            finishedAt: one.finishedAt === null ? null : iso(one.finishedAt),
          })),
          nextCursor: last === undefined ? null : `${last.createdAt}.${last.id}`,
        };
      },
      checkBudget: async ({ context, query }) => {
        const exceeded = await alerts.budgets(context, query);
        return { data: { allowed: exceeded.every(({ blocks }) => !blocks), exceeded } };
      },
    },
  };
}
