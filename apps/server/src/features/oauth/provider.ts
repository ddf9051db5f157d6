import { type Clock, type Logger, SCOPES } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import { interactionPolicy, type JWK, Provider } from 'oidc-provider';
import { createAdapter } from './adapter.ts';
import type { ClientDocuments } from './documents.ts';
import { isSecret } from './hash.ts';
import { OAUTH_TTL, SESSION_COOKIE } from './request.ts';

/** Name of the cookie that ties the browser to the request it began. */
const INTERACTION_COOKIE = 'candela_oauth_interaction';

/** Endpoints that pages of an application call: no other page reads their answers. */
const OF_APPLICATIONS: ReadonlySet<string> = new Set(['/oauth/token', '/oauth/revoke']);
const MAX_ORIGIN = 300;

export interface ProviderParts {
  readonly issuer: string;
  readonly store: MetadataStore;
  readonly logger: Logger;
  /** Signs cookies; the same in every replica. */
  readonly cookieKeys: readonly string[];
  readonly clock: Clock;
  /** Undefined: applications are registered by people only. */
  readonly documents: ClientDocuments | undefined;
  /** Of a kind that the library wants to have; nothing is signed with it as long as nobody may ask for `openid`. */
  readonly signingKey: JWK;
  /** The page that asks the person. */
  readonly consentPath: string;
  /** What a permission was given for. */
  readonly projectOf: (grantId: string) => Promise<string | undefined>;
}

const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0) ?? 0};`);

/**
 * The authorization server. It keeps no session of its own: who the person is says the platform's, each time. This file
 * and what it needs is loaded when somebody first comes to the endpoints: the library takes 50 MB.
 */
export function createProvider(parts: ProviderParts): Provider {
  const { store } = parts;
  const provider = new Provider(parts.issuer, {
    adapter: (kind) => createAdapter(store, kind, parts.clock, parts.documents),
    cookies: {
      keys: [...parts.cookieKeys],
      names: {
        interaction: INTERACTION_COOKIE,
        resume: 'candela_oauth_resume',
        session: SESSION_COOKIE,
      },
      // The page and the API that decide are elsewhere than the endpoints.
      short: { path: '/', httpOnly: true, sameSite: 'lax', signed: true },
      long: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    jwks: { keys: [parts.signingKey] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    scopes: [...SCOPES],
    claims: {},
    responseTypes: ['code'],
    discovery: parts.documents === undefined ? {} : { client_id_metadata_document_supported: true },
    pkce: { required: () => true },
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      revocation: '/oauth/revoke',
      jwks: '/oauth/jwks',
    },
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: { enabled: true },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      introspection: { enabled: false },
      resourceIndicators: { enabled: false },
    },
    ttl: {
      AccessToken: OAUTH_TTL.accessToken,
      ClientCredentials: OAUTH_TTL.accessToken,
      AuthorizationCode: OAUTH_TTL.code,
      Interaction: OAUTH_TTL.interaction,
      Session: OAUTH_TTL.interaction,
      RefreshToken: OAUTH_TTL.refreshToken,
      Grant: OAUTH_TTL.grant,
    },
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
    interactions: {
      url: (_context, interaction) => `${parts.consentPath}?uid=${encodeURIComponent(interaction.uid)}`,
      policy: interactionPolicy.base(),
    },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    extraTokenClaims: async (context, token) => {
      if (token.kind === 'ClientCredentials') return undefined;
      const { grantId } = token as { readonly grantId?: string };
      const projectId = grantId === undefined ? undefined : await parts.projectOf(grantId);
      return projectId === undefined ? undefined : { projectId };
    },
    // Browsers of other origins get tokens with PKCE and no cookie: the application's own origins may ask.
    clientBasedCORS: (_context, origin, client) =>
      (client.redirectUris ?? []).some((uri) => URL.canParse(uri) && new URL(uri).origin === origin),
    renderError: (context, out) => {
      context.type = 'html';
      context.body = `<!doctype html><html lang="en"><title>Candela</title><h1>This application could not be let in</h1><p>${escape(out.error)}</p><p>${escape(out.error_description ?? '')}</p></html>`;
    },
  });
  // The store keeps a hash in the place of the secret.
  const { prototype } = provider.Client as unknown as {
    readonly prototype: { compareClientSecret(given: string): boolean; readonly clientSecret?: string };
  };
  prototype.compareClientSecret = function compare(this: { readonly clientSecret?: string }, given) {
    return this.clientSecret !== undefined && isSecret(given, this.clientSecret);
  };
  provider.use(async (context, next) => {
    await next();
    // The library lets every origin ask as long as it does not know for which application. Only those of applications may.
    const origin = context.get('origin');
    if (!OF_APPLICATIONS.has(context.path) || origin === '') return;
    if (origin.length <= MAX_ORIGIN && (await store.oauthClients.livesAt(origin))) return;
    for (const name of Object.keys(context.response.headers)) {
      if (name.startsWith('access-control-')) context.remove(name);
    }
  });
  provider.use(async (context, next) => {
    await next();
    // RFC 6749 section 5.1: who named no scope is told what it got.
    const body: unknown = context.body;
    if (context.path !== '/oauth/token' || typeof body !== 'object' || body === null) return;
    if ('access_token' in body && !('scope' in body)) {
      context.body = { ...body, scope: context['oidc'].client?.scope };
    }
  });
  provider.proxy = true;
  const touch = ({ clientId }: { readonly clientId?: string | undefined }): void => {
    if (clientId === undefined) return;
    store.oauthClients.touch(clientId).catch((error: unknown) => {
      parts.logger.warn({ err: error }, 'the last use of an application was not noted');
    });
  };
  provider.on('access_token.saved', touch);
  provider.on('client_credentials.saved', touch);
  provider.on('server_error', (context, thrown) => {
    parts.logger.error({ err: thrown, path: context.path }, 'OAuth request failed');
  });
  return provider;
}
