import { type ApiKey, IDENTITY_LIMITS } from '@candela/contract';
import { type Clock, fail, type RequestContext, SCOPES } from '@candela/kernel';
import type { MetadataStore, Repositories, StoredKey } from '@candela/metadata-store';
import type { Handlers } from '../../../http/handlers.ts';
import { record } from '../../audit/service.ts';
import { readCursor, writeCursor } from '../cursors.ts';
import type { Directory } from '../directory.ts';
import { newApiKey, sha256 } from './format.ts';

type Names = 'listApiKeys' | 'createApiKey' | 'updateApiKey' | 'rotateApiKey' | 'deleteApiKey';

const iso = (ms: number): string => new Date(ms).toISOString();
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));

const base = (key: StoredKey) => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  scopes: [...key.scopes],
  environments: key.environments === null ? null : [...key.environments],
  expiresAt: isoOrNull(key.expiresAt),
  createdAt: iso(key.createdAt),
});
const show = (key: StoredKey & { readonly maker: string | null }): ApiKey => ({
  ...base(key),
  createdBy: key.maker,
  lastUsedAt: isoOrNull(key.lastUsedAt),
  replacedBy: key.replacedBy,
});

/** Keys of a project, for its admins. The key itself is in the answer that makes it and nowhere else. */
export function keyHandlers(parts: {
  readonly metadata: MetadataStore;
  readonly directory: Directory;
  readonly clock: Clock;
}): Pick<Handlers, Names> {
  const { metadata, directory, clock } = parts;

  async function make(
    repositories: Repositories,
    context: RequestContext,
    key: Pick<StoredKey, 'projectId' | 'name' | 'scopes' | 'environments' | 'expiresAt'>,
  ): Promise<{ readonly apiKey: string; readonly stored: StoredKey }> {
    if ((await repositories.keys.count(key.projectId)) >= IDENTITY_LIMITS.keys) {
      throw fail('refused', {
        detail: `This project has ${IDENTITY_LIMITS.keys} API keys, which is the most it may have. Delete some first.`,
      });
    }
    const { apiKey, prefix } = newApiKey();
    const { principal } = context;
    const createdBy = principal.kind === 'user' ? principal.id : null;
    const stored = await repositories.keys.create(sha256(apiKey), { ...key, prefix, createdBy });
    return { apiKey, stored };
  }

  return {
    listApiKeys: async ({ context, query }) => {
      const [createdAt, id] =
        query.cursor === undefined ? [] : readCursor('keys', query.cursor, ['number', 'string']);
      const { keys, next } = await metadata.keys.list(context.projectId, {
        limit: query.limit,
        after: id === undefined ? undefined : { createdAt: Number(createdAt), id: String(id) },
      });
      const nextCursor = next === undefined ? null : writeCursor('keys', [next.createdAt, next.id]);
      return { data: keys.map(show), nextCursor };
    },

    createApiKey: async ({ context, body }) => {
      const projectId = body.projectId ?? context.projectId;
      const { principal, organisationId } = context;
      const reached =
        principal.kind === 'user'
          ? await directory.projectsOf({ userId: principal.id, organisationId, role: principal.role })
          : [];
      if (!reached.includes(projectId)) throw fail('not_found', { what: 'The project' });
      const expiresAt =
        body.expiresAt === undefined || body.expiresAt === null ? null : Date.parse(body.expiresAt);
      if (expiresAt !== null && expiresAt <= clock.now()) {
        throw fail('refused', { detail: 'expiresAt is in the past. Name a time to come, or null.' });
      }
      const { apiKey, stored } = await metadata.change(undefined, async (repositories) => {
        const made = await make(repositories, context, {
          projectId,
          name: body.name,
          scopes: [...new Set(body.scopes ?? SCOPES)],
          environments:
            body.environments === undefined || body.environments === null
              ? null
              : [...new Set(body.environments)],
          expiresAt,
        });
        const { id, name, prefix, scopes } = made.stored;
        await record(
          repositories,
          { ...context, projectId },
          {
            action: 'api-key.create',
            objectKind: 'api-key',
            objectId: id,
            details: { name, prefix, scopes },
          },
        );
        return made;
      });
      return { data: { ...base(stored), apiKey } };
    },

    updateApiKey: async ({ context, params, body }) => {
      const { name, scopes, environments } = body;
      const changes = {
        ...(name === undefined ? {} : { name }),
        ...(scopes === undefined ? {} : { scopes: [...new Set(scopes)] }),
        ...(environments === undefined ? {} : { environments }),
      };
      const key = await metadata.change(undefined, async (repositories) => {
        await repositories.keys.update(context.projectId, params.id, changes);
        const changed = await repositories.keys.get(context.projectId, params.id);
        await record(repositories, context, {
          action: 'api-key.update',
          objectKind: 'api-key',
          objectId: params.id,
          details: { name: changed.name, changed: Object.keys(changes), scopes: changed.scopes },
        });
        return changed;
      });
      return { data: show(key) };
    },

    rotateApiKey: async ({ context, params, body }) => {
      const { projectId } = context;
      const { apiKey, stored } = await metadata.change(undefined, async (repositories) => {
        const old = await repositories.keys.get(projectId, params.id);
        if (old.replacedBy !== null) {
          throw fail('conflict', { detail: 'This key was rotated already. Rotate the one that follows it.' });
        }
        const now = clock.now();
        // One that expires is followed by one that lives as long.
        const lifetime = old.expiresAt === null ? null : old.expiresAt - old.createdAt;
        const made = await make(repositories, context, {
          projectId,
          name: old.name,
          scopes: old.scopes,
          environments: old.environments,
          expiresAt: lifetime === null ? null : now + lifetime,
        });
        const end = now + body.overlapSeconds * 1_000;
        await repositories.keys.update(projectId, old.id, {
          expiresAt: old.expiresAt === null ? end : Math.min(old.expiresAt, end),
          replacedBy: made.stored.id,
        });
        // What the old one may read the new one may too: applications go over without losing a secret.
        const secrets = await repositories.vaultSecrets.grantAlso(projectId, old.id, made.stored.id);
        await record(repositories, context, {
          action: 'api-key.rotate',
          objectKind: 'api-key',
          objectId: old.id,
          details: {
            name: old.name,
            followedBy: made.stored.id,
            overlapSeconds: body.overlapSeconds,
            secrets,
          },
        });
        return made;
      });
      return { data: { ...base(stored), apiKey } };
    },

    deleteApiKey: async ({ context, params }) => {
      await metadata.change(undefined, async (repositories) => {
        const { name, prefix } = await repositories.keys.get(context.projectId, params.id);
        await repositories.keys.remove(context.projectId, params.id);
        await record(repositories, context, {
          action: 'api-key.delete',
          objectKind: 'api-key',
          objectId: params.id,
          details: { name, prefix },
        });
      });
      return { data: { id: params.id } };
    },
  };
}
