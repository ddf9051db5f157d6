import { createHash } from 'node:crypto';
import { CONTROLLER_LIMITS, type ControllerConfig } from '@candela/contract';
import type { BodyOf, ResponseOf, ROUTES } from '@candela/contract';
import { DEFAULT_ENVIRONMENT, fail, type RequestContext } from '@candela/kernel';
import type { DesiredState, MetadataStore, StoredController } from '@candela/metadata-store';
import type { FeatureParts } from '../feature.ts';
import { record } from '../audit/service.ts';
import { type Report, readReport, type ReportedService } from './report.ts';
import type { Signer } from './signing.ts';
import { wishesByKey, wishKey } from './views.ts';

const MAX_ACTIONS = 100;
/** Looks for what another replica was asked, and for the end of the platform. */
const LOOK_MS = 1_000;
const DEFAULT_CONFIG: ControllerConfig = { poll_interval_seconds: 60, custom_llm_hosts: [] };

/** What the instances of a project are told. */
export async function configOf(metadata: MetadataStore, projectId: string): Promise<ControllerConfig> {
  const kept = await metadata.controllers.config(projectId);
  return kept === undefined ? DEFAULT_CONFIG : (JSON.parse(kept) as ControllerConfig);
}

/** Among so many the last one of the tap is looked for: plans of SDKs lie between. */
const NEWEST = 20;
const ofTap = ({ type }: { readonly type: string }): boolean =>
  type === 'instrument' || type === 'uninstrument';
/** A plan changes nothing. */
const ofSdk = ({ type, dryRun }: { readonly type: string; readonly dryRun: boolean }): boolean =>
  !dryRun && (type === 'enable_sdk' || type === 'disable_sdk');

const hashOf = (config: ControllerConfig): string =>
  createHash('sha256').update(JSON.stringify(config)).digest('hex').slice(0, 16);

type Parts = Pick<FeatureParts, 'metadata' | 'clock' | 'phase'>;

/** Takes reports, asks for what is wanted and not so, and hands out actions. */
export function createPolls({ metadata, clock, phase }: Parts, signer: () => Promise<Signer>) {
  const waiting = new Set<() => void>();
  const stopListening = metadata.changes.on(
    ['controller_actions', 'controller_desired', 'controller_config'],
    () => {
      for (const wake of waiting) wake();
    },
  );

  /** The instance of the report, if the key may speak for it. @throws forbidden */
  async function admit(context: RequestContext, report: Report): Promise<StoredController> {
    const { principal, projectId } = context;
    if (principal.kind !== 'key')
      throw fail('forbidden', { detail: 'A controller polls with its own API key: enrol it with a token.' });
    const known = await metadata.controllers.byName(projectId, report.name);
    const texts = { facts: JSON.stringify(report.facts), services: JSON.stringify(report.services) };
    if (known?.revoked === true)
      throw fail('forbidden', { detail: 'This controller was revoked. Enrol it again with a new token.' });
    if (known !== undefined && known.keyId !== principal.id) {
      const alive = await metadata.keys.existing(projectId, [known.keyId]);
      if (alive.length > 0)
        throw fail('forbidden', { detail: `The controller "${report.name}" belongs to another API key.` });
    }
    if (known !== undefined && known.keyId === principal.id) {
      await metadata.controllers.heard(known.id, texts);
      return { ...known, ...texts, lastSeenAt: clock.now() };
    }
    const environment = context.environment ?? DEFAULT_ENVIRONMENT;
    return metadata.change(undefined, async (repositories) => {
      const made = await repositories.controllers.enrol({
        projectId,
        environment,
        name: report.name,
        cluster: report.cluster,
        keyId: principal.id,
        ...texts,
      });
      await record(repositories, context, {
        action: 'controller.appear',
        objectKind: 'controller',
        objectId: made.id,
        details: { name: report.name, cluster: report.cluster },
      });
      return made;
    });
  }

  /** Asks for what people want and the report says is not so, unless that is on its way or has just failed. */
  async function heal(instance: StoredController, services: readonly ReportedService[]): Promise<void> {
    const { projectId, environment, cluster, id } = instance;
    const wishes = wishesByKey(await metadata.controllers.wanted({ projectId, environment }));
    if (wishes.size === 0) return;
    const open = new Set((await metadata.controllers.open(id)).filter(ofTap).map(({ workload }) => workload));
    for (const service of services) {
      const sdk = wishes.get(wishKey(cluster, environment, service.workload, 'agent'));
      if (sdk !== undefined) await renewSdk(instance, service, sdk);
      const wish = wishes.get(wishKey(cluster, environment, service.workload, 'instrumentation'));
      if (wish === undefined || open.has(service.workload)) continue;
      const so = service.instrumented === wish.enabled && (!wish.enabled || service.content === wish.content);
      if (so) continue;
      const newest = await metadata.controllers.actions(projectId, {
        instanceId: id,
        workload: service.workload,
        limit: NEWEST,
      });
      const last = newest.find(ofTap);
      // What failed is tried again, but not without pause.
      const pauseUntil = last?.state === 'failed' ? (last.finishedAt ?? 0) + CONTROLLER_LIMITS.leaseMs : 0;
      // The report may be older than the end of the action.
      const justDone = last?.state === 'succeeded' && (last.finishedAt ?? 0) > clock.now() - 2_000;
      if (pauseUntil > clock.now() || justDone) continue;
      await metadata.controllers.ask({
        projectId,
        instanceId: id,
        workload: service.workload,
        type: wish.enabled ? 'instrument' : 'uninstrument',
        payload: JSON.stringify({ content: wish.content }),
        dryRun: false,
        expiresAt: clock.now() + CONTROLLER_LIMITS.actionMs,
        reason: wish.reason,
        createdBy: wish.changedBy,
      });
    }
  }

  /**
   * Asks anew for an SDK that no controller put in place in time. Files that are gone after they were written were taken away by
   * a person: these stay away.
   */
  async function renewSdk(
    instance: StoredController,
    service: ReportedService,
    wish: DesiredState,
  ): Promise<void> {
    if ((service.agentStatus === 'enabled') === wish.enabled) return;
    const { projectId, id } = instance;
    const newest = await metadata.controllers.actions(projectId, {
      instanceId: id,
      workload: service.workload,
      limit: NEWEST,
    });
    if (newest.find(ofSdk)?.state !== 'expired') return;
    await metadata.controllers.ask({
      projectId,
      instanceId: id,
      workload: service.workload,
      type: wish.enabled ? 'enable_sdk' : 'disable_sdk',
      payload: JSON.stringify({ content: false }),
      dryRun: false,
      expiresAt: clock.now() + CONTROLLER_LIMITS.actionMs,
      reason: wish.reason,
      createdBy: wish.changedBy,
    });
  }

  const pause = (signal: AbortSignal, ms: number): Promise<void> =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        waiting.delete(end);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      waiting.add(end);
      signal.addEventListener('abort', end);
    });

  return {
    stop(): void {
      stopListening();
      for (const wake of waiting) wake();
    },

    async poll(
      context: RequestContext,
      body: BodyOf<typeof ROUTES.pollController>,
      waitSeconds: number,
      signal: AbortSignal,
    ): Promise<ResponseOf<typeof ROUTES.pollController>> {
      const report = readReport(body);
      const instance = await admit(context, report);
      const acknowledged: string[] = [];
      for (const result of report.results) {
        await metadata.controllers.end(instance.id, result.id, result);
        // Also of what is not known any more: the controller need not keep it.
        if (result.state !== 'running') acknowledged.push(result.id);
      }
      const { publicKey, sign } = await signer();
      const until = Date.now() + waitSeconds * 1_000;
      for (;;) {
        await heal(instance, report.services);
        const leased = await metadata.controllers.lease(instance.id, CONTROLLER_LIMITS.leaseMs, MAX_ACTIONS);
        const config = await configOf(metadata, instance.projectId);
        const config_hash = hashOf(config);
        const config_changed = config_hash !== body.config_hash;
        const left = until - Date.now();
        const over = left <= 0 || signal.aborted || phase() === 'stopping';
        if (leased.length > 0 || config_changed || acknowledged.length > 0 || over) {
          return {
            config_changed,
            ...(config_changed ? { config } : {}),
            config_hash,
            actions: leased.map((action) => ({
              id: action.id,
              action_type: action.type,
              service_key: action.workload,
              payload: action.payload,
              dry_run: action.dryRun,
              attempt: action.attempt,
              lease_until: new Date(action.leaseUntil ?? 0).toISOString(),
              expires_at: new Date(action.expiresAt).toISOString(),
              signature: sign(instance.name, action),
            })),
            acknowledged,
            truncated: [...report.facts.truncated],
            signing_key: publicKey,
          };
        }
        const known = await metadata.controllers.byName(instance.projectId, instance.name);
        if (known === undefined || known.revoked)
          throw fail('forbidden', {
            detail: 'This controller was revoked. Enrol it again with a new token.',
          });
        await pause(signal, Math.min(left, LOOK_MS));
      }
    },
  };
}
