import { CONTROLLER_LIMITS } from '@candela/contract';
import { DEFAULT_ENVIRONMENT, fail, type RequestContext } from '@candela/kernel';
import type {
  ControllerFeature,
  Repositories,
  StoredController,
  StoredControllerAction,
} from '@candela/metadata-store';
import { actorName, record } from '../audit/service.ts';
import type { Feature, FeatureParts } from '../feature.ts';
import { newApiKey, randomBase62, sha256 } from '../identity/service.ts';
import { configOf, createPolls } from './poll.ts';
import type { ReportedService } from './report.ts';
import { createSigner } from './signing.ts';
import {
  actionView,
  instanceView,
  serviceId,
  servicesOf,
  serviceView,
  tokenView,
  wishesByKey,
} from './views.ts';

interface Found {
  readonly instance: StoredController;
  readonly service: ReportedService;
}

/** Controllers: enrolment, polls, the catalogue of services and its switches. */
export function controllerFeature(parts: FeatureParts) {
  const { metadata, clock, envelope } = parts;
  const signer = createSigner(metadata, envelope);
  const polls = createPolls(parts, signer);

  /** @throws not_found also of services of other projects and environments */
  async function find({ projectId, environment }: RequestContext, id: string): Promise<Found> {
    const [instanceId = ''] = id.split('.', 1);
    const instance = await metadata.controllers
      .get({ projectId, environment }, instanceId)
      .catch(() => undefined);
    const service =
      instance && servicesOf(instance).find(({ workload }) => serviceId(instance.id, workload) === id);
    if (instance === undefined || service === undefined) throw fail('not_found', { what: 'The service' });
    return { instance, service };
  }

  async function views(context: RequestContext, instances: readonly StoredController[]) {
    const { projectId, environment } = context;
    const wishes = wishesByKey(await metadata.controllers.wanted({ projectId, environment }));
    const last = new Map<string, StoredControllerAction>();
    for (const action of await metadata.controllers.actions(projectId, { limit: 2_000 })) {
      const key = `${action.instanceId} ${action.workload}`;
      if (!last.has(key) && !action.dryRun) last.set(key, action);
    }
    return instances.flatMap((instance) =>
      servicesOf(instance).map((service) => serviceView(instance, service, wishes, last)),
    );
  }

  /** Keeps the wish, its audit row and its action: all or none. */
  function change(
    context: RequestContext,
    { instance, service }: Found,
    what: {
      readonly feature: ControllerFeature;
      readonly enabled: boolean;
      readonly content: boolean;
      readonly reason: string;
      readonly type: string;
      readonly dryRun?: boolean;
    },
  ) {
    const { projectId, environment, cluster } = instance;
    const by = actorName(context);
    return metadata.change(undefined, async (repositories) => {
      if (what.dryRun !== true)
        await repositories.controllers.want({
          projectId,
          environment,
          cluster,
          workload: service.workload,
          feature: what.feature,
          enabled: what.enabled,
          content: what.content,
          reason: what.reason,
          changedBy: by,
        });
      const action = await repositories.controllers.ask({
        projectId,
        instanceId: instance.id,
        workload: service.workload,
        type: what.type,
        payload: JSON.stringify({ content: what.content }),
        dryRun: what.dryRun ?? false,
        expiresAt: clock.now() + CONTROLLER_LIMITS.actionMs,
        reason: what.reason,
        createdBy: by,
      });
      await record(repositories, context, {
        action: `controller.${what.type.replaceAll('_', '-')}`,
        objectKind: 'controller-service',
        objectId: serviceId(instance.id, service.workload),
        details: {
          workload: service.workload,
          cluster,
          reason: what.reason,
          content: what.content,
          dryRun: what.dryRun ?? false,
        },
      });
      return { data: { status: 'queued' as const, actions: [actionView(action)] } };
    });
  }

  async function makeKey(repositories: Repositories, projectId: string, environment: string, name: string) {
    const { apiKey, prefix } = newApiKey();
    const stored = await repositories.keys.create(sha256(apiKey), {
      projectId,
      name: `Controller ${name}`.slice(0, 100),
      prefix,
      scopes: ['controller', 'ingest'],
      environments: [environment],
      createdBy: null,
      expiresAt: null,
    });
    return { apiKey, stored };
  }

  const EMPTY = JSON.stringify({ version: '', mode: 'linux', node: '', tap: '', truncated: [] });

  return {
    name: 'controller',
    stop: async () => polls.stop(),
    handlers: {
      enrolController: async ({ body, requestId, client }) => {
        const { publicKey } = await signer();
        const data = await metadata.change(undefined, async (repositories) => {
          const token = await repositories.controllers.useToken(sha256(body.token));
          if (token === undefined)
            throw fail('forbidden', {
              detail:
                'The enrolment token is not known, has ended or is used up. Make a new one under Controller.',
            });
          const { projectId, environment, cluster, organisationId } = token;
          const known = await repositories.controllers.byName(projectId, body.instance_id);
          const alive = known === undefined ? [] : await repositories.keys.existing(projectId, [known.keyId]);
          // One that was never heard of did not get its key: it ended while it enrolled.
          const heard =
            known !== undefined && !known.revoked && (known.facts !== EMPTY || known.services !== '[]');
          if (heard && alive.length > 0)
            throw fail('conflict', {
              detail: `There is a controller "${body.instance_id}" already. Revoke it, or choose another instance id.`,
            });
          for (const key of alive) await repositories.keys.remove(projectId, key);
          const { apiKey, stored } = await makeKey(repositories, projectId, environment, body.instance_id);
          const made = await repositories.controllers.enrol({
            projectId,
            environment,
            name: body.instance_id,
            cluster,
            keyId: stored.id,
            facts: EMPTY,
            services: '[]',
          });
          await record(
            repositories,
            {
              principal: { kind: 'system', name: `enrolment ${token.id}` },
              organisationId,
              projectId,
              requestId,
              client,
            },
            {
              action: 'controller.enrol',
              objectKind: 'controller',
              objectId: made.id,
              details: { name: body.instance_id, cluster, prefix: stored.prefix },
            },
          );
          return { apiKey, projectId, environment, cluster, signingKey: publicKey };
        });
        return { data };
      },
      pollController: ({ context, body, query, signal }) => polls.poll(context, body, query.wait, signal),
      listControllers: async ({ context }) => ({
        data: (await metadata.controllers.list(context)).map((one) => instanceView(one, clock.now())),
      }),
      getController: async ({ context, params }) => {
        const instance = await metadata.controllers.get(context, params.id);
        return { data: { ...instanceView(instance, clock.now()), found: await views(context, [instance]) } };
      },
      revokeController: async ({ context, params }) => {
        const instance = await metadata.controllers.get(context, params.id);
        await metadata.change(undefined, async (repositories) => {
          await repositories.controllers.revoke(instance.id);
          const keys = await repositories.keys.existing(instance.projectId, [instance.keyId]);
          for (const key of keys) await repositories.keys.remove(instance.projectId, key);
          await record(repositories, context, {
            action: 'controller.revoke',
            objectKind: 'controller',
            objectId: instance.id,
            details: { name: instance.name },
          });
        });
        return { data: { id: instance.id } };
      },
      listCatalogue: async ({ context }) => {
        const instances = (await metadata.controllers.list(context)).filter(({ revoked }) => !revoked);
        return { data: (await views(context, instances)).slice(0, 5_000) };
      },
      instrumentService: async ({ context, params, body }) => {
        const found = await find(context, params.id);
        if (body.content && !body.confirmContent)
          throw fail('refused', {
            detail:
              'Keeping what is said needs its own confirmation: send confirmContent: true with content: true.',
          });
        if (!found.service.tap.possible)
          throw fail('conflict', { detail: `The tap cannot see this service: ${found.service.tap.detail}` });
        const { reason, content } = body;
        return change(context, found, {
          feature: 'instrumentation',
          enabled: true,
          content,
          reason,
          type: 'instrument',
        });
      },
      uninstrumentService: async ({ context, params, body }) =>
        change(context, await find(context, params.id), {
          feature: 'instrumentation',
          enabled: false,
          content: false,
          reason: body.reason,
          type: 'uninstrument',
        }),
      getServiceAgent: async ({ context, params }) => {
        const { instance, service } = await find(context, params.id);
        const [view] = await views(context, [{ ...instance, services: JSON.stringify([service]) }]);
        const wanted = view?.wantedSdk?.enabled === true;
        return {
          data: {
            enabled: service.agentStatus === 'enabled',
            supported: service.sdk.possible,
            automatable: service.sdk.possible,
            status: service.agentStatus,
            desired_status: wanted ? ('enabled' as const) : ('none' as const),
            reason: service.sdk.detail,
            service: service.name,
            namespace: service.namespace,
          },
        };
      },
      enableServiceAgent: async ({ context, params, body }) => {
        const found = await find(context, params.id);
        if (!found.service.sdk.possible)
          throw fail('conflict', { detail: `No SDK can be injected here: ${found.service.sdk.detail}` });
        return change(context, found, {
          feature: 'agent',
          enabled: true,
          content: false,
          reason: body.reason,
          type: 'enable_sdk',
          dryRun: !body.apply,
        });
      },
      disableServiceAgent: async ({ context, params, query }) =>
        change(context, await find(context, params.id), {
          feature: 'agent',
          enabled: false,
          content: false,
          reason: query.reason,
          type: 'disable_sdk',
        }),
      listControllerActions: async ({ context, query }) => {
        const { projectId, environment } = context;
        const of = query.serviceId === undefined ? undefined : await find(context, query.serviceId);
        const actions = await metadata.controllers.actions(projectId, {
          limit: query.limit,
          instanceId: of?.instance.id,
          workload: of?.service.workload,
        });
        if (environment === undefined) return { data: actions.map(actionView) };
        const own = new Set(
          (await metadata.controllers.list({ projectId, environment })).map(({ id }) => id),
        );
        return { data: actions.filter(({ instanceId }) => own.has(instanceId)).map(actionView) };
      },
      listControllerTokens: async ({ context }) => ({
        data: (await metadata.controllers.tokens(context.projectId)).map(tokenView),
      }),
      createControllerToken: async ({ context, body }) => {
        const token = `ce_${randomBase62(43)}`;
        const made = await metadata.change(undefined, async (repositories) => {
          const stored = await repositories.controllers.createToken(sha256(token), {
            organisationId: context.organisationId,
            projectId: context.projectId,
            environment: context.environment ?? DEFAULT_ENVIRONMENT,
            cluster: body.cluster,
            usesLeft: body.uses,
            createdBy: actorName(context),
            expiresAt: clock.now() + body.hours * 3_600_000,
          });
          await record(repositories, context, {
            action: 'controller-token.create',
            objectKind: 'controller-token',
            objectId: stored.id,
            details: { cluster: body.cluster, uses: body.uses, hours: body.hours },
          });
          return stored;
        });
        return { data: { ...tokenView(made), token } };
      },
      revokeControllerToken: async ({ context, params }) => {
        await metadata.change(undefined, async (repositories) => {
          await repositories.controllers.revokeToken(context.projectId, params.id);
          await record(repositories, context, {
            action: 'controller-token.revoke',
            objectKind: 'controller-token',
            objectId: params.id,
          });
        });
        return { data: { id: params.id } };
      },
      getControllerConfig: async ({ context }) => ({ data: await configOf(metadata, context.projectId) }),
      setControllerConfig: async ({ context, body }) => {
        await metadata.change(undefined, async (repositories) => {
          await repositories.controllers.setConfig(context.projectId, JSON.stringify(body));
          await record(repositories, context, {
            action: 'controller.configure',
            objectKind: 'controller',
            objectId: null,
            details: { interval: body.poll_interval_seconds, hosts: body.custom_llm_hosts },
          });
        });
        return { data: body };
      },
    },
  } satisfies Feature;
}
