import { randomBytes } from 'node:crypto';
import type { OauthClient } from '@candela/contract';
import { fail, type RequestContext, type Scope, SCOPES } from '@candela/kernel';
import type { MetadataStore, StoredOauthClient } from '@candela/metadata-store';
import type { Handlers } from '../../http/handlers.ts';
import { record } from '../audit/service.ts';
import { readCursor, writeCursor } from '../identity/cursors.ts';
import { hashOf } from './hash.ts';
import { ALLOWED } from './request.ts';
import type { ConsentingPerson, Oauth } from './service.ts';

type OauthHandlers = Pick<
  Handlers,
  | 'listOauthClients'
  | 'createOauthClient'
  | 'updateOauthClient'
  | 'rotateOauthSecret'
  | 'deleteOauthClient'
  | 'getOauthConsent'
  | 'decideOauthConsent'
  | 'listApplications'
  | 'revokeApplication'
>;

type Grant = OauthClient['grants'][number];
type Kind = OauthClient['kind'];

const LIST = 'oauth-clients';
const iso = (ms: number): string => new Date(ms).toISOString();

const show = (client: StoredOauthClient): OauthClient => ({
  id: client.id,
  name: client.name,
  kind: client.kind,
  projectId: client.projectId,
  redirectUris: [...client.redirectUris],
  grants: [...client.grants] as Grant[],
  scopes: [...client.scopes] as Scope[],
  createdBy: client.createdBy,
  createdAt: iso(client.createdAt),
  lastUsedAt: client.lastUsedAt === null ? null : iso(client.lastUsedAt),
});

/** 43 characters, 256 bits. */
const newSecret = (): string => randomBytes(32).toString('base64url');

/** What goes together. @throws refused */
function requireSound(kind: Kind, grants: readonly Grant[], redirectUris: readonly string[]): void {
  const refuse = (detail: string) => fail('refused', { detail });
  const asksPeople = grants.includes('authorization_code');
  if (grants.includes('client_credentials') && kind === 'public') {
    throw refuse('An application without a secret cannot act for itself: make it confidential.');
  }
  if (grants.includes('refresh_token') && !asksPeople) {
    throw refuse('"refresh_token" goes with "authorization_code".');
  }
  if (asksPeople && redirectUris.length === 0) {
    throw refuse('With "authorization_code" it needs an address that people are sent back to.');
  }
  const onThisMachine = redirectUris.some((uri) =>
    /^https:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]/.test(uri),
  );
  if (onThisMachine && redirectUris.some((uri) => !uri.startsWith('https:'))) {
    throw refuse("An application of a person's own machine goes back to http on localhost, not https.");
  }
  if (!asksPeople && redirectUris.length > 0) {
    throw refuse('Without "authorization_code" nobody is sent back: leave the addresses out.');
  }
}

const unique = <T>(list: readonly T[]): T[] => [...new Set(list)];

/** Whom the consent is about; the principal of an account route is a person. */
function userOf({ principal }: RequestContext): string {
  if (principal.kind !== 'user') throw fail('not_signed_in');
  return principal.id;
}

/** Applications, what people allow them, and the page that asks. */
export function oauthHandlers(parts: {
  readonly oauth: Oauth;
  readonly metadata: MetadataStore;
  /** Projects that a person reaches, the default one first. */
  readonly projectsOf: (context: RequestContext) => Promise<ConsentingPerson['projects']>;
  readonly emailOf: (context: RequestContext) => Promise<string | null>;
}): OauthHandlers {
  const { oauth, metadata } = parts;

  async function personOf(context: RequestContext): Promise<ConsentingPerson> {
    return { userId: userOf(context), projects: await parts.projectsOf(context) };
  }

  return {
    listOauthClients: async ({ context, query }) => {
      const { limit, cursor } = query;
      const place = cursor === undefined ? undefined : readCursor(LIST, cursor, ['string', 'string']);
      const { clients, next } = await metadata.oauthClients.list(context.organisationId, {
        limit,
        after: place && { nameKey: String(place[0]), id: String(place[1]) },
      });
      const nextCursor = next === undefined ? null : writeCursor(LIST, [next.nameKey, next.id]);
      return { data: clients.map(show), nextCursor };
    },

    createOauthClient: async ({ context, body }) => {
      const { kind, name } = body;
      const redirectUris = unique(body.redirectUris);
      const grants = unique(body.grants);
      requireSound(kind, grants, redirectUris);
      const reached = await parts.projectsOf(context);
      const projectId = body.projectId ?? reached[0]?.id;
      if (projectId === undefined || !reached.some((project) => project.id === projectId)) {
        throw fail('not_found', { what: 'The project' });
      }
      const secret = kind === 'confidential' ? newSecret() : undefined;
      const createdBy = await parts.emailOf(context);
      const made = await metadata.change(undefined, async (repositories) => {
        const client = await repositories.oauthClients.create({
          id: crypto.randomUUID(),
          organisationId: context.organisationId,
          projectId,
          name,
          kind,
          secretHash: secret === undefined ? null : hashOf(secret),
          redirectUris,
          grants,
          scopes: SCOPES.filter((scope) => body.scopes.includes(scope)),
          createdBy,
        });
        await record(repositories, context, {
          action: 'oauth-client.create',
          objectKind: 'oauth-client',
          objectId: client.id,
          details: { name, kind, grants, scopes: client.scopes, redirectUris },
        });
        return client;
      });
      return { data: { ...show(made), clientSecret: secret ?? null } };
    },

    updateOauthClient: async ({ context, params, body }) => {
      const changed = await metadata.change(undefined, async (repositories) => {
        const before = await repositories.oauthClients.own(context.organisationId, params.id);
        const redirectUris = body.redirectUris === undefined ? undefined : unique(body.redirectUris);
        const grants = body.grants === undefined ? undefined : unique(body.grants);
        const now = show(before);
        requireSound(before.kind, grants ?? now.grants, redirectUris ?? now.redirectUris);
        const { name, scopes } = body;
        const client = await repositories.oauthClients.update(context.organisationId, params.id, {
          ...(name === undefined ? {} : { name }),
          ...(redirectUris === undefined ? {} : { redirectUris }),
          ...(grants === undefined ? {} : { grants }),
          ...(scopes === undefined ? {} : { scopes: SCOPES.filter((scope) => scopes.includes(scope)) }),
        });
        await record(repositories, context, {
          action: 'oauth-client.update',
          objectKind: 'oauth-client',
          objectId: client.id,
          details: { name: client.name, changed: Object.keys(body) },
        });
        return client;
      });
      return { data: show(changed) };
    },

    rotateOauthSecret: async ({ context, params }) => {
      const secret = newSecret();
      const changed = await metadata.change(undefined, async (repositories) => {
        const before = await repositories.oauthClients.own(context.organisationId, params.id);
        if (before.kind === 'public') {
          throw fail('refused', { detail: 'A public application has no secret.' });
        }
        const secretHash = hashOf(secret);
        const client = await repositories.oauthClients.update(context.organisationId, params.id, {
          secretHash,
        });
        await record(repositories, context, {
          action: 'oauth-client.rotate',
          objectKind: 'oauth-client',
          objectId: client.id,
          details: { name: client.name },
        });
        return client;
      });
      return { data: { ...show(changed), clientSecret: secret } };
    },

    deleteOauthClient: async ({ context, params }) => ({
      data: await metadata.change(undefined, async (repositories) => {
        const { name } = await repositories.oauthClients.own(context.organisationId, params.id);
        await repositories.oauthClients.delete(context.organisationId, params.id);
        await record(repositories, context, {
          action: 'oauth-client.delete',
          objectKind: 'oauth-client',
          objectId: params.id,
          details: { name },
        });
        return { id: params.id };
      }),
    }),

    getOauthConsent: async ({ context, params, header }) => {
      const { client, redirectUri, scopes, staysAllowed } = await oauth.asked(params.uid, header('cookie'));
      const { projects } = await personOf(context);
      return {
        data: {
          client: { id: client.id, name: client.name, goesTo: destinationOf(redirectUri) },
          scopes: [...scopes],
          staysAllowed,
          projects: [...projects],
        },
      };
    },

    decideOauthConsent: async ({ context, params, body, header }) => {
      const cookie = header('cookie');
      if (body.decision === 'deny') return { data: await oauth.deny(params.uid, cookie) };
      const asking = { uid: params.uid, cookie, person: await personOf(context) };
      const { projectId } = body;
      const { redirect, client, scopes } = await oauth.allow(asking, { projectId, scopes: body.scopes });
      await metadata.change(undefined, (repositories) =>
        record(
          repositories,
          { ...context, organisationId: client.organisationId || context.organisationId, projectId },
          {
            action: 'oauth-consent.allow',
            objectKind: 'oauth-client',
            objectId: client.id,
            details: { name: client.name, scopes },
          },
        ),
      );
      return { data: { redirect } };
    },

    listApplications: async ({ context }) => {
      const [allowed, projects] = await Promise.all([
        oauth.allowed(userOf(context)),
        parts.projectsOf(context),
      ]);
      const shown = [];
      for (const { id, clientId, clientName, projectId, scopes, at } of allowed) {
        const client =
          (await metadata.oauthClients.get(clientId)) ??
          (clientName === null ? undefined : { id: clientId, name: clientName, scopes });
        if (client === undefined) continue;
        shown.push({
          id,
          client: { id: client.id, name: client.name },
          project: projects.find((project) => project.id === projectId) ?? null,
          scopes: scopes.filter((scope) => client.scopes.includes(scope)),
          allowedAt: iso(at),
        });
      }
      return { data: shown, nextCursor: null };
    },

    revokeApplication: async ({ context, params }) => {
      const userId = userOf(context);
      await metadata.change(undefined, async (repositories) => {
        const entry = await repositories.oauthEntries.findByUid(ALLOWED, params.id);
        if (entry === undefined || entry.userId !== userId || entry.grantId === null) {
          throw fail('not_found', { what: 'The permission' });
        }
        await repositories.oauthEntries.removeGranted(entry.grantId);
        await record(repositories, context, {
          action: 'oauth-consent.revoke',
          objectKind: 'oauth-client',
          objectId: entry.clientId,
        });
      });
      return { data: { id: params.id } };
    },
  };
}

/** Host, or the scheme of an app: what a person can judge. */
function destinationOf(uri: string): string {
  const { protocol, host } = new URL(uri);
  return protocol === 'http:' || protocol === 'https:' ? host : protocol;
}
