import { createHash } from 'node:crypto';
import type { ErasureCertificate } from '@candela/contract';
import { DEFAULT_DATABASE_CONFIG_ID, fail, type RequestContext } from '@candela/kernel';
import type { MediaUseOf } from '@candela/metadata-store';
import {
  type EraseInput,
  eraseUser,
  MOST_ERASED_IDS,
  stayingSpans,
  type TelemetryStore,
  tracesOfUser,
} from '@candela/telemetry-store';
import type { Handlers } from '../../http/handlers.ts';
import { record } from '../audit/service.ts';
import type { FeatureParts } from '../feature.ts';

/** How long what is acknowledged may take to be stored before the deletion begins, milliseconds. */
const STORED_MS = 30_000;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Deletion of what a project holds of a user of its applications, with a certificate. What is acknowledged is stored first,
 * so that nothing of before comes in behind it.
 */
export function erasureHandlers(parts: FeatureParts): Pick<Handlers, 'eraseUserData'> {
  return {
    eraseUserData: async ({ context, body, signal }) => {
      return { data: await erase(parts, context, body, signal) };
    },
  };
}

async function erase(
  parts: FeatureParts,
  context: RequestContext,
  { userId, dryRun }: { readonly userId: string; readonly dryRun: boolean },
  abort: AbortSignal,
): Promise<ErasureCertificate> {
  const { stores, logs, clock, config, metadata } = parts;
  const { projectId, environment } = context;
  const startedAt = new Date(clock.now()).toISOString();
  const release = await logs.hold(STORED_MS);
  if (release === undefined) {
    throw fail('overloaded', { detail: 'What is acknowledged is not stored yet. Try again in a minute.' });
  }
  release();
  const connectors = (await stores.routes.of(projectId)).all();
  /** Asks one of the databases that the project writes to. */
  const inStore = <Value>(
    connectorId: string,
    ask: (store: TelemetryStore, input: EraseInput) => Promise<Value>,
  ): Promise<Value> => {
    const cluster = connectorId === DEFAULT_DATABASE_CONFIG_ID ? config.clickhouseCluster : undefined;
    const input = { projectId, environment, userId, dryRun, cluster, abort };
    return stores.pool
      .use(connectorId, projectId, (store) => ask(store, input))
      .catch((thrown: unknown) => {
        if (!(thrown instanceof RangeError)) throw thrown;
        throw fail('refused', {
          detail: `The user has more than ${MOST_ERASED_IDS} traces or sessions. Delete by environment: name one in x-platform-environment.`,
        });
      });
  };
  // First, while the spans still say whose it is: a run that was cut off finds both again.
  const media = await eraseMedia(parts, projectId, { connectors, inStore, dryRun });
  const tables: ErasureCertificate['tables'][number][] = [];
  let [traces, sessions, sharedTraces] = [0, 0, 0];
  for (const connectorId of connectors) {
    const erased = await inStore(connectorId, eraseUser);
    traces += erased.traces;
    sessions += erased.sessions;
    sharedTraces += erased.sharedTraces;
    tables.push(...erased.tables.map((one) => ({ connectorId, ...one })));
  }
  const chats = await metadata.chats.ofPerson(projectId, userId);
  const { backup } = config;
  const certificate = {
    projectId,
    environment: environment ?? null,
    userHash: sha256(userId),
    dryRun,
    startedAt,
    endedAt: new Date(clock.now()).toISOString(),
    traces,
    sessions,
    sharedTraces,
    tables,
    chats: { before: chats, after: dryRun ? chats : 0 },
    media,
    complete: !dryRun && tables.every(({ after }) => after === 0),
    backups: backup === undefined ? null : { target: withoutSecrets(backup.target), keep: backup.keep },
  };
  const digest = sha256(JSON.stringify(certificate));
  await metadata.change(undefined, async (repositories) => {
    if (!dryRun) await repositories.chats.deleteOfPerson(projectId, userId);
    await record(repositories, context, {
      action: dryRun ? 'user-data.count' : 'user-data.erase',
      objectKind: 'user-data',
      // The id itself would be kept by the very log that says it is gone.
      objectId: certificate.userHash,
      details: {
        digest,
        traces,
        sessions,
        before: tables.reduce((sum, { before }) => sum + before, 0),
        after: tables.reduce((sum, { after }) => sum + after, 0),
      },
    });
  });
  return { ...certificate, digest };
}

/**
 * Forgets that media was sent for spans of the user, and removes the items that nothing else uses. Returns how many items
 * of their spans there were and how many of these are left for others.
 */
async function eraseMedia(
  { metadata }: FeatureParts,
  projectId: string,
  {
    connectors,
    inStore,
    dryRun,
  }: {
    readonly connectors: ReadonlySet<string>;
    readonly inStore: <Value>(
      connectorId: string,
      ask: (store: TelemetryStore, input: EraseInput) => Promise<Value>,
    ) => Promise<Value>;
    readonly dryRun: boolean;
  },
): Promise<ErasureCertificate['media']> {
  const traces = new Set<string>();
  for (const connectorId of connectors)
    for (const id of await inStore(connectorId, tracesOfUser)) traces.add(id);
  const uses = await metadata.media.usesOf(projectId, [...traces]);
  const others = new Set<MediaUseOf>();
  for (const connectorId of uses.length === 0 ? [] : [...connectors])
    for (const use of await inStore(connectorId, (store, input) => stayingSpans(store, input, uses)))
      others.add(use);
  const own = uses.filter((use) => !others.has(use));
  const items = new Set(own.map(({ id }) => id)).size;
  if (dryRun || own.length === 0) return { before: items, after: items };
  const removed = await metadata.change(undefined, ({ media }) => media.removeUses(projectId, own));
  return { before: items, after: items - removed };
}

/** A place as people name it: a URL without user, password and query. */
function withoutSecrets(target: string): string {
  const url = URL.parse(target);
  return url === null || url.host === '' ? target : `${url.protocol}//${url.host}${url.pathname}`;
}
