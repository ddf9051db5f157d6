import { createHash } from 'node:crypto';
import type { ErasureCertificate } from '@candela/contract';
import { DEFAULT_DATABASE_CONFIG_ID, fail, type RequestContext } from '@candela/kernel';
import { eraseUser, MOST_ERASED_IDS } from '@candela/telemetry-store';
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
  { stores, logs, clock, config, metadata }: FeatureParts,
  context: RequestContext,
  { userId, dryRun }: { readonly userId: string; readonly dryRun: boolean },
  abort: AbortSignal,
): Promise<ErasureCertificate> {
  const { projectId, environment } = context;
  const startedAt = new Date(clock.now()).toISOString();
  const release = await logs.hold(STORED_MS);
  if (release === undefined) {
    throw fail('overloaded', { detail: 'What is acknowledged is not stored yet. Try again in a minute.' });
  }
  release();
  const tables: ErasureCertificate['tables'][number][] = [];
  let [traces, sessions, sharedTraces] = [0, 0, 0];
  for (const connectorId of (await stores.routes.of(projectId)).all()) {
    const cluster = connectorId === DEFAULT_DATABASE_CONFIG_ID ? config.clickhouseCluster : undefined;
    const input = { projectId, environment, userId, dryRun, cluster, abort };
    const erased = await stores.pool
      .use(connectorId, projectId, (store) => eraseUser(store, input))
      .catch((thrown: unknown) => {
        if (!(thrown instanceof RangeError)) throw thrown;
        throw fail('refused', {
          detail: `The user has more than ${MOST_ERASED_IDS} traces or sessions. Delete by environment: name one in x-platform-environment.`,
        });
      });
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

/** A place as people name it: a URL without user, password and query. */
function withoutSecrets(target: string): string {
  const url = URL.parse(target);
  return url === null || url.host === '' ? target : `${url.protocol}//${url.host}${url.pathname}`;
}
