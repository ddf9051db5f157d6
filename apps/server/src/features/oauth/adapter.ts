import type { Clock } from '@candela/kernel';
import type { MetadataStore, OauthEntry, StoredOauthClient } from '@candela/metadata-store';
import { type Adapter, type AdapterPayload, type ClientMetadata, errors } from 'oidc-provider';
import type { ClientDocuments } from './documents.ts';
import { hashOf } from './hash.ts';

/** The application as the library knows it. The secret's hash stands for the secret: see `isSecret`. */
function metadataOf(client: StoredOauthClient): ClientMetadata {
  const { id, name, kind, secretHash, redirectUris, grants, scopes } = client;
  const native = redirectUris.some((uri) => !uri.startsWith('https:'));
  return {
    client_id: id,
    client_name: name,
    redirect_uris: [...redirectUris],
    grant_types: [...grants],
    response_types: grants.includes('authorization_code') ? ['code'] : [],
    scope: scopes.join(' '),
    // Native: a port of one's own on localhost, and schemes of an app (RFC 8252).
    application_type: native ? 'native' : 'web',
    ...(kind === 'public'
      ? { token_endpoint_auth_method: 'none' as const }
      : { token_endpoint_auth_method: 'client_secret_basic' as const, client_secret: secretHash ?? '' }),
  };
}

const payloadOf = (entry: OauthEntry | undefined, id: string): AdapterPayload | undefined =>
  entry === undefined
    ? undefined
    : {
        ...entry.payload,
        jti: id,
        ...(entry.consumedAt === null ? {} : { consumed: Math.floor(entry.consumedAt / 1_000) }),
      };

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** What the library keeps, in the metadata store: by hash, so that who reads the store holds no token. */
export function createAdapter(
  store: MetadataStore,
  kind: string,
  clock: Clock,
  documents: ClientDocuments | undefined,
): Adapter {
  const entries = store.oauthEntries;
  return {
    async upsert(id, payload, expiresIn) {
      const { jti: _, ...kept } = payload;
      await entries.put({
        kind,
        idHash: hashOf(id),
        payload: kept,
        // Deleting a permission by its id takes the permission itself along.
        grantId: kind === 'Grant' ? id : text(payload.grantId),
        clientId: text(payload.clientId),
        userId: text(payload.accountId),
        uid: text(payload.uid),
        expiresAt: typeof expiresIn === 'number' ? clock.now() + expiresIn * 1_000 : null,
      });
    },

    async find(id) {
      if (kind === 'Client') {
        const client = (await store.oauthClients.get(id)) ?? (await documents?.find(id));
        return client === undefined ? undefined : metadataOf(client);
      }
      return payloadOf(await entries.find(kind, hashOf(id)), id);
    },

    async findByUid(uid) {
      const found = await entries.findByUid(kind, uid);
      // Sessions of the library carry their id in their own payload nowhere else.
      return found === undefined ? undefined : payloadOf(found, text(found.payload['jti']) ?? uid);
    },

    async findByUserCode() {
      return undefined;
    },

    async consume(id) {
      const hash = hashOf(id);
      if (await entries.consume(kind, hash)) return;
      // Two came with the same one: whoever holds a copy gets nothing out of it, and what came of it ends.
      const entry = await entries.find(kind, hash);
      if (entry?.grantId != null) await entries.removeGranted(entry.grantId);
      throw new errors.InvalidGrant('this was used already');
    },

    async destroy(id) {
      await entries.remove(kind, hashOf(id));
    },

    async revokeByGrantId(grantId) {
      await entries.removeGranted(grantId);
    },
  };
}
