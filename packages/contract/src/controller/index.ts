import { z } from 'zod';
import { type Access, defineRoute, manages, reads, type RouteDeclaration } from '../route.ts';
import {
  CONTROLLER_LIMITS,
  controllerActionSchema,
  controllerConfig,
  controllerInstanceSchema,
  controllerServiceSchema,
  controllerTokenSchema,
  pollBody,
  polledAction,
  switchOff,
  switchOn,
} from './schemas.ts';

export {
  COLLECTOR_ROUTES,
  FLEET_LIMITS,
  type FleetCollector,
  type FleetCollectorDetail,
  CONFIG_MASK,
} from './collectors.ts';
export {
  CONTROLLER_LIMITS,
  CONTROLLER_MODES,
  type ControllerAction,
  type ControllerConfig,
  type ControllerInstance,
  type ControllerService,
  type ControllerToken,
} from './schemas.ts';

const tag = 'Controller';
const BASE = '/api/controller';
/** Switches: an admin, or a key with the scope. */
const operates: Access = { key: 'controller', role: 'admin', on: 'project' };
const common = ['metadata_unavailable'] as const;
const params = z.object({ id: z.string().min(1).max(200) });
const instanceId = z.string().min(1).max(CONTROLLER_LIMITS.instanceId);

const enrolController = defineRoute({
  id: 'enrolController',
  method: 'POST',
  path: `${BASE}/enrol`,
  tag,
  summary: 'Gives a controller a key of its own for an enrolment token',
  permission: 'public',
  body: z.strictObject({ token: z.string().min(1).max(200), instance_id: instanceId }),
  response: z.object({
    data: z.object({
      apiKey: z.string(),
      projectId: z.string(),
      environment: z.string(),
      cluster: z.string(),
      signingKey: z
        .string()
        .meta({ description: 'Ed25519 public key (SPKI, base64) that signs actions: pin it.' }),
    }),
  }),
  success: 201,
  errors: ['forbidden', 'conflict', 'refused', ...common],
});

const pollController = defineRoute({
  id: 'pollController',
  method: 'POST',
  path: `${BASE}/poll`,
  tag,
  summary: 'A controller reports and gets what it is to do; with `wait` once there is something',
  permission: operates,
  query: z.object({
    wait: z.coerce.number().int().min(0).max(CONTROLLER_LIMITS.waitSeconds).default(0),
  }),
  body: pollBody,
  response: z.object({
    config_changed: z.boolean(),
    config: controllerConfig.optional(),
    config_hash: z.string(),
    actions: z.array(polledAction),
    acknowledged: z.array(z.string()).meta({ description: 'Results that are kept: forget them.' }),
    truncated: z.array(z.string()).meta({ description: 'What the report held too much of.' }),
    signing_key: z.string(),
  }),
  errors: ['forbidden', 'refused', ...common],
});

const listControllers = defineRoute({
  id: 'listControllers',
  method: 'GET',
  path: `${BASE}/instances`,
  tag,
  summary: 'Controllers of the project, the ones heard of last first',
  permission: reads('controller'),
  response: z.object({ data: z.array(controllerInstanceSchema) }),
  errors: [...common],
});

const getController = defineRoute({
  id: 'getController',
  method: 'GET',
  path: `${BASE}/instances/{id}`,
  tag,
  summary: 'One controller with the services it found',
  permission: reads('controller'),
  params,
  response: z.object({
    data: controllerInstanceSchema.extend({ found: z.array(controllerServiceSchema) }),
  }),
  errors: ['not_found', ...common],
});

const revokeController = defineRoute({
  id: 'revokeController',
  method: 'DELETE',
  path: `${BASE}/instances/{id}`,
  tag,
  summary: 'Lets a controller in no more: its key is deleted, its open actions are over',
  permission: manages('admin'),
  params,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', ...common],
});

const listCatalogue = defineRoute({
  id: 'listCatalogue',
  method: 'GET',
  path: `${BASE}/catalog`,
  tag,
  summary: 'Services that controllers found, with what is possible, wanted and so',
  permission: reads('controller'),
  response: z.object({ data: z.array(controllerServiceSchema) }),
  errors: [...common],
});

const change = z.object({
  data: z.object({ status: z.literal('queued'), actions: z.array(controllerActionSchema) }),
});
const instrumentService = defineRoute({
  id: 'instrumentService',
  method: 'POST',
  path: `${BASE}/catalog/{id}/instrument`,
  tag,
  summary: 'Switches the tap of a service on; what is said is kept only when `content` is confirmed',
  permission: operates,
  params,
  body: switchOn,
  response: change,
  errors: ['not_found', 'conflict', 'refused', ...common],
});

const uninstrumentService = defineRoute({
  id: 'uninstrumentService',
  method: 'POST',
  path: `${BASE}/catalog/{id}/uninstrument`,
  tag,
  summary: 'Switches the tap of a service off',
  permission: operates,
  params,
  body: switchOff,
  response: change,
  errors: ['not_found', ...common],
});

const getServiceAgent = defineRoute({
  id: 'getServiceAgent',
  method: 'GET',
  path: `${BASE}/catalog/{id}/agent-instrument`,
  tag,
  summary: 'Whether an SDK can be injected into a service, is wanted and is there',
  permission: reads('controller'),
  params,
  response: z.object({
    data: z.object({
      enabled: z.boolean(),
      supported: z.boolean(),
      automatable: z.boolean(),
      status: z.string(),
      desired_status: z.enum(['none', 'enabled']),
      reason: z.string(),
      service: z.string(),
      namespace: z.string(),
    }),
  }),
  errors: ['not_found', ...common],
});

const enableServiceAgent = defineRoute({
  id: 'enableServiceAgent',
  method: 'POST',
  path: `${BASE}/catalog/{id}/agent-instrument`,
  tag,
  summary: 'Plans the injection of an SDK as a diff (`apply: false`), or has it written',
  permission: operates,
  params,
  body: z.strictObject({ reason: switchOff.shape.reason, apply: z.boolean().default(false) }),
  response: change,
  errors: ['not_found', 'conflict', ...common],
});

const disableServiceAgent = defineRoute({
  id: 'disableServiceAgent',
  method: 'DELETE',
  path: `${BASE}/catalog/{id}/agent-instrument`,
  tag,
  summary: 'Takes the files of an injected SDK back',
  permission: operates,
  params,
  query: z.object({ reason: switchOff.shape.reason }),
  response: change,
  errors: ['not_found', ...common],
});

const listControllerActions = defineRoute({
  id: 'listControllerActions',
  method: 'GET',
  path: `${BASE}/actions`,
  tag,
  summary: 'What controllers were asked to do and what became of it, newest first',
  permission: reads('controller'),
  query: z.object({
    serviceId: z.string().max(200).optional(),
    limit: z.coerce.number().int().min(1).max(200).default(50),
  }),
  response: z.object({ data: z.array(controllerActionSchema) }),
  errors: ['not_found', ...common],
});

const listControllerTokens = defineRoute({
  id: 'listControllerTokens',
  method: 'GET',
  path: `${BASE}/tokens`,
  tag,
  summary: 'Enrolment tokens of the project, never the tokens themselves',
  permission: manages('admin'),
  response: z.object({ data: z.array(controllerTokenSchema) }),
  errors: [...common],
});

const createControllerToken = defineRoute({
  id: 'createControllerToken',
  method: 'POST',
  path: `${BASE}/tokens`,
  tag,
  summary: 'Makes an enrolment token for a cluster or a group of hosts; shown once',
  permission: manages('admin'),
  success: 201,
  body: z.strictObject({
    cluster: z
      .string()
      .min(1)
      .max(100)
      .regex(/^[A-Za-z0-9._-]+$/)
      .default('default'),
    uses: z.int().min(1).max(10_000).default(100),
    hours: z.int().min(1).max(8_760).default(24),
  }),
  response: z.object({ data: controllerTokenSchema.extend({ token: z.string() }) }),
  errors: [...common],
});

const revokeControllerToken = defineRoute({
  id: 'revokeControllerToken',
  method: 'DELETE',
  path: `${BASE}/tokens/{id}`,
  tag,
  summary: 'Ends an enrolment token; controllers that came with it stay',
  permission: manages('admin'),
  params,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', ...common],
});

const getControllerConfig = defineRoute({
  id: 'getControllerConfig',
  method: 'GET',
  path: `${BASE}/config`,
  tag,
  summary: 'What the controllers of the project are told',
  permission: reads('controller'),
  response: z.object({ data: controllerConfig }),
  errors: [...common],
});

const setControllerConfig = defineRoute({
  id: 'setControllerConfig',
  method: 'POST',
  path: `${BASE}/config`,
  tag,
  summary: 'Changes what the controllers of the project are told',
  permission: operates,
  body: controllerConfig,
  response: z.object({ data: controllerConfig }),
  errors: [...common],
});

/** Every route of controllers. */
export const CONTROLLER_ROUTES = {
  enrolController,
  pollController,
  listControllers,
  getController,
  revokeController,
  listCatalogue,
  instrumentService,
  uninstrumentService,
  getServiceAgent,
  enableServiceAgent,
  disableServiceAgent,
  listControllerActions,
  listControllerTokens,
  createControllerToken,
  revokeControllerToken,
  getControllerConfig,
  setControllerConfig,
} as const satisfies Record<string, RouteDeclaration>;
