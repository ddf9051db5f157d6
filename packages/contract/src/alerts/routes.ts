import { z } from 'zod';
import { defineRoute, manages, reads, writes } from '../route.ts';
import { expectedRevision } from '../rules/liberal.ts';
import { timeSchema } from '../telemetry/common.ts';
import { deliverySchema, destinationSchema, destinationShape } from './destinations.ts';
import {
  ALERT_STATUSES,
  alertEventSchema,
  alertGroupSchema,
  alertInputSchema,
  alertPreviewSchema,
  alertSchema,
  alertShape,
  silenceInputSchema,
  silenceSchema,
} from './schemas.ts';
import { BUDGET_SCOPES } from './sources.ts';

const tag = 'Alerts';
const id = z.object({ id: z.string().min(1).max(64) });
const common = ['metadata_unavailable'] as const;
const gone = z.object({ data: z.object({ id: z.string() }) });
const page = {
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().min(1).max(200).optional(),
};

const listAlerts = defineRoute({
  id: 'listAlerts',
  method: 'GET',
  path: '/api/alerts',
  tag,
  summary: 'All alerts of the project with their states',
  permission: reads('telemetry'),
  query: z.strictObject({ status: z.enum(ALERT_STATUSES).optional() }),
  response: z.object({ data: z.array(alertSchema) }),
  errors: common,
});

const createAlert = defineRoute({
  id: 'createAlert',
  method: 'POST',
  path: '/api/alerts',
  tag,
  summary: 'Saves an alert. It watches the environment of the request, or all of them',
  permission: writes('telemetry'),
  success: 201,
  body: alertInputSchema,
  response: z.object({ data: alertSchema }),
  errors: ['refused', 'conflict', 'bad_query', 'not_found', ...common],
});

const getAlert = defineRoute({
  id: 'getAlert',
  method: 'GET',
  path: '/api/alerts/{id}',
  tag,
  summary: 'One alert with the states of its groups',
  permission: reads('telemetry'),
  params: id,
  response: z.object({ data: z.object({ alert: alertSchema, groups: z.array(alertGroupSchema) }) }),
  errors: ['not_found', ...common],
});

const updateAlert = defineRoute({
  id: 'updateAlert',
  method: 'PUT',
  path: '/api/alerts/{id}',
  tag,
  summary: 'Replaces an alert whole. With `revision`, 409 when somebody changed it since',
  permission: writes('telemetry'),
  params: id,
  body: z.strictObject({ ...alertShape, revision: expectedRevision }),
  response: z.object({ data: alertSchema }),
  errors: ['not_found', 'conflict', 'refused', 'bad_query', ...common],
});

const deleteAlert = defineRoute({
  id: 'deleteAlert',
  method: 'DELETE',
  path: '/api/alerts/{id}',
  tag,
  summary: 'Deletes an alert with its states and history',
  permission: writes('telemetry'),
  params: id,
  response: gone,
  errors: ['not_found', ...common],
});

const previewAlert = defineRoute({
  id: 'previewAlert',
  method: 'POST',
  path: '/api/alerts/preview',
  tag,
  summary: 'What an alert would have done in the past: states and messages, without saving it',
  permission: reads('telemetry'),
  body: z.strictObject({
    alert: alertInputSchema,
    from: timeSchema.default('-7d'),
    to: timeSchema.default('now'),
  }),
  response: z.object({ data: alertPreviewSchema }),
  errors: ['bad_query', 'refused', 'query_too_expensive', 'store_unavailable'],
});

const acknowledgeAlert = defineRoute({
  id: 'acknowledgeAlert',
  method: 'POST',
  path: '/api/alerts/{id}/acknowledge',
  tag,
  summary: 'Stops the repeats of a group, or of all groups, until it fires anew',
  permission: writes('telemetry'),
  params: id,
  body: z.strictObject({ groupKey: z.string().max(64).optional(), acknowledged: z.boolean().default(true) }),
  response: z.object({ data: z.object({ groups: z.number() }) }),
  errors: ['not_found', ...common],
});

const listAlertEvents = defineRoute({
  id: 'listAlertEvents',
  method: 'GET',
  path: '/api/alerts/events',
  tag,
  summary: 'The history: what fired, resolved, lost its data or failed, newest first',
  permission: reads('telemetry'),
  query: z.strictObject({ ...page, alertId: z.string().max(64).optional() }),
  response: z.object({ data: z.array(alertEventSchema), nextCursor: z.string().nullable() }),
  errors: ['bad_request', ...common],
});

const listSilences = defineRoute({
  id: 'listSilences',
  method: 'GET',
  path: '/api/alerts/silences',
  tag,
  summary: 'Silences of the project, the latest to end first',
  permission: reads('telemetry'),
  response: z.object({ data: z.array(silenceSchema) }),
  errors: common,
});

const createSilence = defineRoute({
  id: 'createSilence',
  method: 'POST',
  path: '/api/alerts/silences',
  tag,
  summary: 'Silences what matches all matchers: it is evaluated and recorded, and nobody is told',
  permission: writes('telemetry'),
  success: 201,
  body: silenceInputSchema,
  response: z.object({ data: silenceSchema }),
  errors: ['refused', ...common],
});

const endSilence = defineRoute({
  id: 'endSilence',
  method: 'DELETE',
  path: '/api/alerts/silences/{id}',
  tag,
  summary: 'Ends a silence now',
  permission: writes('telemetry'),
  params: id,
  response: gone,
  errors: ['not_found', ...common],
});

const listDestinations = defineRoute({
  id: 'listDestinations',
  method: 'GET',
  path: '/api/alert-destinations',
  tag,
  summary: 'Where messages of alerts can go',
  permission: reads('telemetry'),
  response: z.object({ data: z.array(destinationSchema) }),
  errors: common,
});

const withSecret = z.object({
  data: z.object({
    destination: destinationSchema,
    secret: z.string().nullable().meta({ description: 'A signing secret that was just made: shown once.' }),
  }),
});

const createDestination = defineRoute({
  id: 'createDestination',
  method: 'POST',
  path: '/api/alert-destinations',
  tag,
  summary: 'Saves a destination; its address is checked, its secret sealed',
  permission: manages('admin'),
  success: 201,
  body: z.strictObject(destinationShape),
  response: withSecret,
  errors: ['refused', 'conflict', ...common],
});

const updateDestination = defineRoute({
  id: 'updateDestination',
  method: 'PUT',
  path: '/api/alert-destinations/{id}',
  tag,
  summary: 'Replaces a destination. A new signing secret counts beside the one before for a day',
  permission: manages('admin'),
  params: id,
  body: z.strictObject({ ...destinationShape, revision: expectedRevision }),
  response: withSecret,
  errors: ['not_found', 'refused', 'conflict', ...common],
});

const deleteDestination = defineRoute({
  id: 'deleteDestination',
  method: 'DELETE',
  path: '/api/alert-destinations/{id}',
  tag,
  summary: 'Deletes a destination; alerts that name it go on without it',
  permission: manages('admin'),
  params: id,
  response: gone,
  errors: ['not_found', ...common],
});

const testDestination = defineRoute({
  id: 'testDestination',
  method: 'POST',
  path: '/api/alert-destinations/{id}/test',
  tag,
  summary: 'Sends a message now and says what became of it',
  permission: manages('admin'),
  params: id,
  body: z.strictObject({}),
  response: z.object({ data: z.object({ sent: z.boolean(), error: z.string().nullable() }) }),
  errors: ['not_found', ...common],
});

const listDeliveries = defineRoute({
  id: 'listDeliveries',
  method: 'GET',
  path: '/api/alert-destinations/deliveries',
  tag,
  summary: 'The log of messages, newest first',
  permission: reads('telemetry'),
  query: z.strictObject({ ...page, alertId: z.string().max(64).optional() }),
  response: z.object({ data: z.array(deliverySchema), nextCursor: z.string().nullable() }),
  errors: ['bad_request', ...common],
});

const about = z.string().min(1).max(300).optional();
const checkBudget = defineRoute({
  id: 'checkBudget',
  method: 'GET',
  path: '/api/budget/check',
  tag: 'Budgets',
  summary: 'Whether budgets allow the next call: applications and gateways ask before they make it',
  permission: reads('rule_engine'),
  pace: 'sdk',
  query: z.strictObject({
    user: about,
    model: about,
    key: about,
    session: about,
    service: about,
    agent: about,
  }),
  response: z.object({
    data: z.object({
      allowed: z.boolean(),
      exceeded: z.array(
        z.object({
          budget: z.string(),
          scope: z.enum(BUDGET_SCOPES),
          value: z.string().nullable().meta({ description: 'The user, model, … whose budget is spent.' }),
          percent: z.number().nullable(),
          limitUsd: z.number(),
          blocks: z.boolean(),
          since: z.iso.datetime(),
        }),
      ),
    }),
  }),
  errors: common,
});

export const ALERT_ROUTES = {
  listAlerts,
  createAlert,
  previewAlert,
  listAlertEvents,
  listSilences,
  createSilence,
  endSilence,
  getAlert,
  updateAlert,
  deleteAlert,
  acknowledgeAlert,
  listDestinations,
  createDestination,
  listDeliveries,
  updateDestination,
  deleteDestination,
  testDestination,
  checkBudget,
};
