import { createHash, randomBytes } from 'node:crypto';
import { DEFAULT_ENVIRONMENT, fail, type RequestContext } from '@candela/kernel';
import type { Repositories, StoredCollector, StoredFleetConfig } from '@candela/metadata-store';
import { actorName, record } from '../../audit/service.ts';
import type { FeatureParts } from '../../feature.ts';
import { maskConfig, unmaskConfig } from './masks.ts';
import { ACCEPTS_CONFIG, type AgentMessage, writeServerMessage } from './messages.ts';
import { type CollectorFacts, factsOf, type StoredFile } from './views.ts';

type Parts = Pick<FeatureParts, 'metadata' | 'envelope' | 'clock'>;
const MAX_FILES = 20;
const BY_ITSELF = 'Candela';
const placeOf = (id: string) => ({ table: 'fleet_configs', column: 'body', id }) as const;
const hashOf = (body: string): string => createHash('sha256').update(body).digest('hex');

/** Whether a collector is to be told of a version: it has another one, and did not just fail with this one. */
const isDue = (facts: CollectorFacts, wanted: StoredFleetConfig | undefined): wanted is StoredFleetConfig =>
  wanted !== undefined &&
  (facts.capabilities & ACCEPTS_CONFIG) !== 0 &&
  wanted.state !== 'failed' &&
  facts.remote.hash !== wanted.hash;

export interface Received {
  readonly collector: StoredCollector;
  readonly answer: Buffer;
  /** Hash of the configuration in the answer. */
  readonly offered: string | undefined;
}

/** What collectors say, what they are to have, and how both come together. */
export function createFleet({ metadata, envelope, clock }: Parts) {
  const bodyOf = ({ id, body }: StoredFleetConfig): string => envelope.open(body, placeOf(id));

  /** A new version, in a change. */
  function push(
    repositories: Repositories,
    { id: collectorId, projectId }: StoredCollector,
    what: {
      readonly body: string;
      readonly rollbackOf: number | null;
      readonly reason: string;
      readonly by: string;
    },
  ): Promise<StoredFleetConfig> {
    const id = crypto.randomUUID();
    return repositories.fleet.push({
      id,
      projectId,
      collectorId,
      hash: hashOf(what.body),
      body: envelope.seal(what.body, placeOf(id)),
      rollbackOf: what.rollbackOf,
      reason: what.reason,
      createdBy: what.by,
    });
  }

  /** Notes what became of the version that is wanted; where it failed the last one that worked comes back, once. */
  async function settle(
    context: RequestContext,
    collector: StoredCollector,
    facts: CollectorFacts,
  ): Promise<void> {
    const wanted = await metadata.fleet.wanted(collector.id);
    const { hash, state, error } = facts.remote;
    if (wanted === undefined || hash !== wanted.hash || state === 'unset') return;
    if (wanted.state !== 'offered' && wanted.state !== 'applying') return;
    const text = state === 'failed' ? error || 'It gives no reason.' : null;
    await metadata.change(undefined, async (repositories) => {
      const first = await repositories.fleet.settle(wanted.id, { state, error: text });
      if (!first || state !== 'failed' || wanted.rollbackOf !== null) return;
      const versions = await repositories.fleet.configs(collector.id);
      const good = versions.find((one) => one.state === 'applied' && one.version < wanted.version);
      if (good === undefined) return;
      const made = await push(repositories, collector, {
        body: bodyOf(good),
        rollbackOf: good.version,
        reason: `Version ${wanted.version} could not be applied: ${text}`.slice(0, 500),
        by: BY_ITSELF,
      });
      await record(
        repositories,
        { ...context, principal: { kind: 'system', id: 'fleet' } },
        {
          action: 'collector.roll-back',
          objectKind: 'collector',
          objectId: collector.id,
          details: { failed: wanted.version, to: good.version, version: made.version },
        },
      );
    });
  }

  const fleet = {
    /** The offer that a collector is due; undefined when it has what it is to have. */
    async offer(collector: StoredCollector): Promise<{ body: string; hash: string } | undefined> {
      const wanted = await metadata.fleet.wanted(collector.id);
      if (!isDue(factsOf(collector), wanted)) return undefined;
      return { body: bodyOf(wanted), hash: wanted.hash };
    },

    /** Takes a message of a collector and answers it. @throws refused: there are too many */
    async receive(context: RequestContext, message: AgentMessage): Promise<Received> {
      const { principal, projectId } = context;
      if (principal.kind !== 'key')
        throw fail('forbidden', {
          detail: 'A collector reports with an API key that has the scope controller.',
        });
      const known = await metadata.fleet.byUid(projectId, message.uid);
      const before = known === undefined ? undefined : factsOf(known);
      const facts: CollectorFacts = {
        sequence: String(message.sequence),
        connected: !message.disconnects,
        capabilities: message.capabilities || (before?.capabilities ?? 0),
        attributes: message.attributes ?? before?.attributes ?? {},
        health:
          message.health === undefined
            ? (before?.health ?? null)
            : {
                ...message.health,
                startedAt: String(message.health.startedAt),
                parts: [...message.health.parts],
              },
        remote: message.remote ?? before?.remote ?? { hash: '', state: 'unset', error: '' },
      };
      const files: readonly StoredFile[] | undefined = message.effective
        ?.slice(0, MAX_FILES)
        .map(({ name, contentType, body }) => ({ name, contentType, text: maskConfig(body) }));
      const texts = {
        facts: JSON.stringify(facts),
        effective: files === undefined ? (known?.effective ?? '[]') : JSON.stringify(files),
      };
      let collector: StoredCollector;
      if (known === undefined) {
        const environment = context.environment ?? DEFAULT_ENVIRONMENT;
        collector = await metadata.change(undefined, async (repositories) => {
          const made = await repositories.fleet.add({
            projectId,
            environment,
            instanceUid: message.uid,
            keyId: principal.id,
            ...texts,
          });
          await record(repositories, context, {
            action: 'collector.appear',
            objectKind: 'collector',
            objectId: made.id,
            details: { name: facts.attributes['service.name'] ?? '', uid: message.uid },
          });
          return made;
        });
      } else {
        await metadata.fleet.heard(known.id, texts);
        collector = { ...known, ...texts, lastSeenAt: clock.now() };
      }
      await settle(context, collector, facts);
      // What it leaves out has not changed since the message before, which has to be one that we have.
      const follows = before !== undefined && BigInt(before.sequence) + 1n === message.sequence;
      const config = message.disconnects ? undefined : await fleet.offer(collector);
      const answer = writeServerMessage({
        uid: message.uid,
        config,
        wantsAll: !follows && message.attributes === undefined && !message.disconnects,
        newUid: message.wantsUid ? randomBytes(16).toString('hex') : undefined,
      });
      return { collector, answer, offered: config?.hash };
    },

    /** Pushes what a person wrote. @throws conflict: it was read of another version; refused */
    async change(
      context: RequestContext,
      collector: StoredCollector,
      { config, ifHash, reason }: { config: string; ifHash: string | null; reason: string },
    ): Promise<StoredFleetConfig> {
      requireAccepts(collector);
      return metadata.change(undefined, async (repositories) => {
        const wanted = await repositories.fleet.wanted(collector.id);
        if ((wanted?.hash ?? null) !== ifHash)
          throw fail('conflict', {
            detail: `Somebody pushed version ${wanted?.version ?? 0} meanwhile. Read it, and push again.`,
          });
        const body = unmaskConfig(config, wanted === undefined ? undefined : bodyOf(wanted));
        const made = await push(repositories, collector, {
          body,
          rollbackOf: null,
          reason,
          by: actorName(context),
        });
        await record(repositories, context, {
          action: 'collector.configure',
          objectKind: 'collector',
          objectId: collector.id,
          details: { version: made.version, reason },
        });
        return made;
      });
    },

    /** Pushes an earlier version again. @throws not_found, conflict */
    async rollBack(
      context: RequestContext,
      collector: StoredCollector,
      { version, reason }: { version: number; reason: string },
    ): Promise<StoredFleetConfig> {
      requireAccepts(collector);
      return metadata.change(undefined, async (repositories) => {
        const good = (await repositories.fleet.configs(collector.id)).find((one) => one.version === version);
        if (good === undefined) throw fail('not_found', { what: `Version ${version}` });
        const made = await push(repositories, collector, {
          body: bodyOf(good),
          rollbackOf: version,
          reason,
          by: actorName(context),
        });
        await record(repositories, context, {
          action: 'collector.roll-back',
          objectKind: 'collector',
          objectId: collector.id,
          details: { to: version, version: made.version, reason },
        });
        return made;
      });
    },
  };
  return fleet;
}
export type Fleet = ReturnType<typeof createFleet>;

function requireAccepts(collector: StoredCollector): void {
  if ((factsOf(collector).capabilities & ACCEPTS_CONFIG) !== 0) return;
  throw fail('conflict', {
    detail:
      'This collector takes no configuration: the OpAMP extension only reports. Run it under the OpAMP supervisor.',
  });
}
