import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { type Clock, fail, type Logger, type Role, type Scope, SCOPES } from '@candela/kernel';
import type { MetadataStore, OauthEntry, StoredOauthClient } from '@candela/metadata-store';
import type { Provider } from 'oidc-provider';
import type { KeyHolder } from '../identity/keys/lookup.ts';
import type { Envelope } from '@candela/vault';
import { type ClientDocuments, isDocument } from './documents.ts';
import { hashOf } from './hash.ts';
import { ALLOWED, OAUTH_TTL, prepare, withBody } from './request.ts';

const CONSENT_PAGE = '/consent';
const DISCOVERY = '/.well-known/oauth-authorization-server';
const KEYS = { cookies: 'oauth.cookies', signing: 'oauth.signing' } as const;
const APPLICATIONS_SHOWN = 200;

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** A person who is signed in, as far as consent needs them. */
export interface ConsentingPerson {
  readonly userId: string;
  readonly projects: readonly { readonly id: string; readonly name: string }[];
}

interface Asked {
  readonly client: StoredOauthClient;
  readonly redirectUri: string;
  readonly scopes: readonly Scope[];
}

export interface OauthParts {
  readonly metadata: MetadataStore;
  readonly envelope: Envelope;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Where people reach the platform: the issuer. */
  readonly issuer: string;
  /** Undefined: applications are registered by people only. */
  readonly documents?: ClientDocuments | undefined;
  /** Ids of the projects that a person reaches. */
  readonly projectsOf: (person: {
    readonly userId: string;
    readonly organisationId: string;
    readonly role: Role;
  }) => Promise<readonly string[]>;
}

export interface Oauth {
  /** Whether a path is one of the endpoints. */
  owns(path: string): boolean;
  /** Answers a request at an endpoint. */
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Undefined: no such token, or it has ended, or was taken back, or whoever gave it may not any more. */
  find(token: string): Promise<KeyHolder | undefined>;
  /** What an application asks of this browser. @throws not_found */
  asked(uid: string, cookie: string | undefined): Promise<Asked & { readonly staysAllowed: boolean }>;
  /** Where the browser goes then. @throws not_found, forbidden, refused */
  allow(
    asking: { readonly uid: string; readonly cookie: string | undefined; readonly person: ConsentingPerson },
    choice: { readonly projectId: string; readonly scopes: readonly Scope[] | undefined },
  ): Promise<{
    readonly redirect: string;
    readonly client: StoredOauthClient;
    readonly scopes: readonly Scope[];
  }>;
  deny(uid: string, cookie: string | undefined): Promise<{ readonly redirect: string }>;
  /** Permissions that a person gave. */
  allowed(userId: string): Promise<
    readonly {
      readonly id: string;
      readonly clientId: string;
      /** Of an application that nobody registered: what it was called when it was allowed. */
      readonly clientName: string | null;
      readonly projectId: string;
      readonly scopes: readonly Scope[];
      readonly at: number;
    }[]
  >;
}

const scopesOf = (text: unknown): Scope[] => {
  const names = typeof text === 'string' ? new Set(text.split(' ')) : new Set<string>();
  return SCOPES.filter((scope) => names.has(scope));
};
const expired = () =>
  fail('not_found', { what: 'This request of an application (it may have ended: begin again there)' });

/** What a token shall be for (RFC 8707): it is for this platform and nothing else. @throws bad_request */
function requireOwnResource(resources: readonly string[], issuer: string): void {
  const own = new Set([new URL('/mcp', issuer).href, new URL('/', issuer).href, issuer]);
  if (resources.every((each) => own.has(each))) return;
  throw fail('bad_request', { detail: 'Tokens for other resources than this platform are not given out.' });
}

export function createOauth(parts: OauthParts): Oauth {
  const { metadata, envelope } = parts;
  let provider: Promise<Provider> | undefined;

  async function keyOf(name: string, make: () => string): Promise<string> {
    const place = { table: 'server_keys', column: 'value', id: name };
    const kept =
      (await metadata.serverKeys.get(name)) ??
      (await metadata.change(undefined, ({ serverKeys }) =>
        serverKeys.keepFirst(name, envelope.seal(make(), place)),
      ));
    return envelope.open(kept, place);
  }

  async function open(): Promise<Provider> {
    const { createProvider } = await import('./provider.ts');
    const cookieKey = await keyOf(KEYS.cookies, () => randomBytes(32).toString('base64url'));
    const signingKey = await keyOf(KEYS.signing, () => {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      return JSON.stringify({ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' });
    });
    return createProvider({
      issuer: parts.issuer,
      store: metadata,
      logger: parts.logger,
      clock: parts.clock,
      documents: parts.documents,
      cookieKeys: [cookieKey],
      signingKey: JSON.parse(signingKey) as Record<string, string>,
      consentPath: CONSENT_PAGE,
      projectOf: async (grantId) =>
        (await metadata.oauthEntries.find(ALLOWED, hashOf(grantId)))?.payload['projectId'] as
          | string
          | undefined,
    });
  }

  /** Loaded when somebody first comes; after a failure the next one tries again. */
  function ready(): Promise<Provider> {
    if (provider !== undefined) return provider;
    const opening = open();
    provider = opening;
    opening.catch(() => {
      provider = undefined;
    });
    return opening;
  }

  const clientOf = async (id: string): Promise<StoredOauthClient | undefined> =>
    (await metadata.oauthClients.get(id)) ?? (await parts.documents?.find(id));

  /** The library looks for the cookie of the browser in a request of Node's. */
  async function interactionOf(uid: string, cookie: string | undefined) {
    const request = new IncomingMessage(new Socket());
    request.headers.cookie = cookie ?? '';
    const response = new ServerResponse(request);
    prepare(request, parts.issuer);
    const library = await ready();
    const interaction = await library.interactionDetails(request, response).catch(() => undefined);
    // The cookie says which request this browser began: the page of another one is not for it.
    if (interaction === undefined || interaction.uid !== uid) throw expired();
    const client = await clientOf(String(interaction.params['client_id']));
    if (client === undefined) throw expired();
    const finish = (result: Parameters<Provider['interactionResult']>[2]) =>
      library.interactionResult(request, response, result, { mergeWithLastSubmission: false });
    const redirectUri = String(interaction.params['redirect_uri']);
    return { library, interaction, client, finish, redirectUri };
  }

  /** What it asks for, and without a word everything that it may be given. */
  function wanted(client: StoredOauthClient, scope: unknown): Scope[] {
    const most = scopesOf(client.scopes.join(' '));
    if (typeof scope !== 'string' || scope.trim() === '') return most;
    const asked = new Set(scopesOf(scope));
    return most.filter((each) => asked.has(each));
  }

  /** Who names no scope means all that the application may have; the library would take it for nothing. */
  async function fillScope(request: IncomingMessage): Promise<void> {
    const url = new URL(request.url ?? '/', parts.issuer);
    requireOwnResource(url.searchParams.getAll('resource'), parts.issuer);
    if (url.pathname !== '/oauth/authorize' || (url.searchParams.get('scope') ?? '') !== '') return;
    const client = await clientOf(url.searchParams.get('client_id') ?? '');
    if (client === undefined) return;
    url.searchParams.set('scope', client.scopes.join(' '));
    request.url = `${url.pathname}${url.search}`;
  }

  async function grantOf(entry: OauthEntry): Promise<KeyHolder | undefined> {
    const { payload } = entry;
    const { clientId } = entry;
    if (clientId === null) return undefined;
    const client = await metadata.oauthClients.get(clientId);
    // Of a document nobody is asked again: what a person allowed holds until they take it back.
    if (client === undefined && !(parts.documents !== undefined && isDocument(clientId))) return undefined;
    // What the application may not have any more, its tokens have not either.
    const scopes = new Set(
      client === undefined ? scopesOf(payload['scope']) : wanted(client, payload['scope']),
    );
    const holder = { id: `oauth:${clientId}`, scopes, environments: null };
    const { expiresAt } = entry;
    if (entry.kind === 'ClientCredentials') {
      if (client?.grants.includes('client_credentials') !== true) return undefined;
      const { organisationId, projectId } = client;
      return { ...holder, organisationId, projectId, expiresAt };
    }
    const { grantId, userId } = entry;
    if (grantId === null || userId === null) return undefined;
    const allowed = await metadata.oauthEntries.find(ALLOWED, hashOf(grantId));
    const projectId = allowed?.payload['projectId'];
    if (typeof projectId !== 'string') return undefined;
    const membership = await metadata.people.membershipOf(userId);
    if (membership === undefined) return undefined;
    const { role, organisationId } = membership;
    if (client !== undefined && client.organisationId !== organisationId) return undefined;
    const reached = await parts.projectsOf({ userId, role, organisationId });
    return reached.includes(projectId)
      ? { ...holder, organisationId, projectId, expiresAt, role }
      : undefined;
  }

  return {
    owns: (path) => path === DISCOVERY || path.startsWith('/oauth/'),

    async serve(asked, response) {
      const library = await ready();
      const request = asked.method === 'POST' ? await withBody(asked) : asked;
      prepare(request, parts.issuer);
      await fillScope(request);
      await library.callback()(request, response);
    },

    async find(token) {
      if (!TOKEN.test(token)) return undefined;
      const hash = hashOf(token);
      const entry =
        (await metadata.oauthEntries.find('AccessToken', hash)) ??
        (await metadata.oauthEntries.find('ClientCredentials', hash));
      return entry === undefined ? undefined : grantOf(entry);
    },

    async asked(uid, cookie) {
      const { interaction, client, redirectUri } = await interactionOf(uid, cookie);
      const scopes = wanted(client, interaction.params['scope']);
      return { client, redirectUri, scopes, staysAllowed: client.grants.includes('refresh_token') };
    },

    async allow({ uid, cookie, person }, { projectId, scopes: chosen }) {
      const { library, interaction, client, finish } = await interactionOf(uid, cookie);
      const membership = await metadata.people.membershipOf(person.userId);
      const isRegistered = client.organisationId !== '';
      if (membership === undefined || (isRegistered && membership.organisationId !== client.organisationId)) {
        throw fail('forbidden', { detail: 'This application belongs to an organisation that is not yours.' });
      }
      if (!person.projects.some((project) => project.id === projectId)) {
        throw fail('forbidden', { detail: 'You do not reach this project.' });
      }
      const asked = wanted(client, interaction.params['scope']);
      const scopes = chosen === undefined ? asked : asked.filter((scope) => chosen.includes(scope));
      if (scopes.length === 0) {
        throw fail('refused', { detail: 'Nothing of what the application asks for was chosen.' });
      }
      const grant = new library.Grant({ accountId: person.userId, clientId: client.id });
      grant.addOIDCScope(scopes.join(' '));
      const rejected = asked.filter((scope) => !scopes.includes(scope));
      if (rejected.length > 0) grant.rejectOIDCScope(rejected.join(' '));
      const grantId = await grant.save();
      await metadata.oauthEntries.put({
        kind: ALLOWED,
        idHash: hashOf(grantId),
        payload: { projectId, scopes, ...(isRegistered ? {} : { clientName: client.name }) },
        grantId,
        clientId: client.id,
        userId: person.userId,
        uid: crypto.randomUUID(),
        expiresAt: parts.clock.now() + OAUTH_TTL.grant * 1_000,
      });
      const redirect = await finish({
        login: { accountId: person.userId, remember: false },
        consent: { grantId },
      });
      return { redirect, client, scopes };
    },

    async deny(uid, cookie) {
      const { finish } = await interactionOf(uid, cookie);
      const error_description = 'The person did not allow it.';
      return { redirect: await finish({ error: 'access_denied', error_description }) };
    },

    async allowed(userId) {
      const entries = await metadata.oauthEntries.ofUser(ALLOWED, userId, APPLICATIONS_SHOWN);
      return entries.map(({ uid, clientId, payload, createdAt }) => ({
        id: uid ?? '',
        clientId: clientId ?? '',
        clientName: typeof payload['clientName'] === 'string' ? payload['clientName'] : null,
        projectId: String(payload['projectId']),
        scopes: scopesOf((payload['scopes'] as string[]).join(' ')),
        at: createdAt,
      }));
    },
  };
}
