import type { Access } from '@candela/contract';
import {
  CandelaError,
  type Clock,
  DEFAULT_DATABASE_CONFIG_ID,
  DEFAULT_ENVIRONMENT,
  DEFAULT_ORGANISATION_ID,
  DEFAULT_PROJECT_ID,
  fail,
  isEnvironmentName,
  type Logger,
  newRequestId,
  type RequestContext,
  type Scope,
  SCOPES,
  systemClock,
} from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import { createClientAddress } from '../../http/client-address.ts';
import { RateLimiter } from '../../http/rate-limit.ts';
import type { PlatformScopes } from '../connectors/platform-scopes.ts';
import { isLoopbackName, networkOf } from './addresses.ts';
import { parseAuthorization } from './credential.ts';
import { createDirectory, type Directory } from './directory.ts';
import { BOOTSTRAP_KEY_ID, createKeyLookup, type KeyHolder } from './keys/lookup.ts';
import { isLocal, requireLocalName, requireSameOrigin, type Sender } from './same-origin.ts';
import { cookieKinds, readCookies } from './sessions/cookies.ts';
import {
  createSessions,
  type SessionConfig,
  type SessionOwner,
  type SessionService,
} from './sessions/service.ts';

export { newApiKey, randomBase62, sha256 } from './keys/format.ts';

export { BOOTSTRAP_KEY_ID };

export interface IdentityConfig extends SessionConfig {
  /** Full-access key of the default project, or undefined when none was set. */
  readonly bootstrapApiKey: string | undefined;
  /** OTLP without a key from loopback. */
  readonly ingestAnonymous: boolean;
  /** Address the platform listens on. */
  readonly host: string;
  /** Wrong keys one address may send a minute before it is told to wait. */
  readonly wrongKeysPerMinute: number;
  /** Proxies whose `X-Forwarded-For` is believed; default: none. */
  readonly trustedProxies?: readonly string[];
  /** Where people reach the platform, e.g. `https://candela.example.com`. */
  readonly publicUrl: string | undefined;
}

export interface AuthenticateInput extends Sender {
  readonly requestId?: string;
  /** What the route is about; default: a project. */
  readonly on?: Access['on'];
  /** What the route keeps its things in; default: nothing that depends on the configuration. */
  readonly storage?: 'platform' | undefined;
  /** The route is for applications: who sends nothing is told of the key, not to sign in. */
  readonly application?: boolean;
  /** Basic authentication is taken, with the key as password; default: where telemetry is sent. */
  readonly basic?: boolean;
  /** Upper case; default: GET. */
  readonly method?: string;
  /** The platform asks by itself: a session does not go on because of it. */
  readonly unattended?: boolean;
}

export interface Identity {
  /**
   * Who asks, for which tenant. On the `otlp` endpoint `environment` is undefined unless header or key name one; on the
   * `api` endpoint undefined means all environments of the project. About an account organisation and project may be
   * empty, about an organisation the project: of who reaches none.
   * @throws no_credential, unknown_credential, not_signed_in, rate_limited (too many wrong keys), forbidden,
   * bad_request, bad_environment_name, not_found
   */
  authenticate(input: AuthenticateInput): Promise<RequestContext>;
  /** The person whose session cookie a request carries; undefined: nobody is signed in. @throws forbidden */
  person(input: AuthenticateInput): Promise<SessionOwner | undefined>;
  /** For endpoints without a credential: what a page of another site asks is refused. @throws forbidden */
  requireOwnPage(input: AuthenticateInput): void;
  /** Address of who sent a request, behind trusted proxies too. For limits and records; it proves nothing. */
  addressOf(input: Pick<Sender, 'headers' | 'remoteAddress'>): string;
  /** Whether a request without a credential may read: a program of this machine, while nobody owns the platform. */
  mayLookAround(input: AuthenticateInput): Promise<boolean>;
  /** Whether a program on this machine may send OTLP without a key. */
  readonly acceptsAnonymousIngest: boolean;
  readonly sessions: SessionService;
  readonly directory: Directory;
  /** Environments seen in arriving data; they are kept before long. */
  learnEnvironments(projectId: string, names: Iterable<string>): void;
  /** What is written behind requests is written: before the store is closed. */
  settle(): Promise<void>;
}

export interface IdentityParts {
  readonly config: IdentityConfig;
  readonly metadata: MetadataStore;
  readonly logger: Logger;
  readonly clock?: Clock;
  /** What a token that an application sends stands for; undefined: it is none. */
  readonly tokens?: (token: string) => Promise<KeyHolder | undefined>;
  /** Which configuration keeps prompts, secrets and rules; default: the built-in one alone. */
  readonly places?: PlatformScopes;
}

const ALL_SCOPES: ReadonlySet<Scope> = new Set(SCOPES);
const ANONYMOUS_SCOPES: ReadonlySet<Scope> = new Set<Scope>(['ingest', 'telemetry']);
const READING_METHODS = new Set(['GET', 'HEAD']);

/**
 * True when others than programs of this machine are meant to reach the platform. Then nobody counts as local: a proxy
 * on this machine that adds no header would make every stranger look like it.
 */
export function isPublic({ host, publicUrl }: Pick<IdentityConfig, 'host' | 'publicUrl'>): boolean {
  return !isLoopbackName(host) || (publicUrl !== undefined && !isLoopbackName(new URL(publicUrl).hostname));
}

/** The one place where a credential and headers become a context. */
export function createIdentity(parts: IdentityParts): Identity {
  const { config, metadata, logger } = parts;
  const clock = parts.clock ?? systemClock;
  const needsKey = isPublic(config);
  const clientAddress = createClientAddress(config.trustedProxies ?? []);
  const addressOf: Identity['addressOf'] = ({ headers, remoteAddress }) =>
    clientAddress(remoteAddress, headers('x-forwarded-for'));
  const wrongKeys = new RateLimiter(config.wrongKeysPerMinute, clock);
  const directory = createDirectory({ metadata, logger });
  const keys = createKeyLookup({ metadata, bootstrapApiKey: config.bootstrapApiKey, clock, logger });
  const sessions = createSessions({ metadata, config, clock, logger });
  const cookie = cookieKinds(config.publicUrl).session;

  /**
   * A right key always passes, also from an address that sends wrong ones: behind one address there may be many
   * senders, and a key is far too long to be guessed. The limit is against the noise.
   */
  async function byKey(input: AuthenticateInput): Promise<KeyHolder | undefined> {
    try {
      const credential = parseAuthorization(input.headers('authorization'));
      if (credential === undefined) return undefined;
      const takesBasic = input.endpoint === 'otlp' || input.basic === true;
      if (credential === 'unreadable' || (credential.scheme === 'basic' && !takesBasic)) {
        throw fail('unknown_credential');
      }
      const holder = (await keys.find(credential.key)) ?? (await parts.tokens?.(credential.key));
      if (holder === undefined) throw fail('unknown_credential');
      return holder;
    } catch (thrown) {
      if (thrown instanceof CandelaError && thrown.code === 'unknown_credential') {
        wrongKeys.take(networkOf(addressOf(input)));
      }
      throw thrown;
    }
  }

  /** Loopback only, not through a proxy, not a web page; to read, only while nobody owns the platform. */
  async function requireAnonymous(input: AuthenticateInput): Promise<void> {
    if (needsKey || input.application === true || !isLocal(input)) throw fail('no_credential');
    if (input.endpoint === 'otlp' && !config.ingestAnonymous) throw fail('no_credential');
    requireLocalName(input);
    requireSameOrigin(input, config.publicUrl, false);
    if (input.endpoint === 'api' && (await directory.isOwned())) throw fail('not_signed_in');
  }

  async function person(input: AuthenticateInput): Promise<SessionOwner | undefined> {
    if (input.endpoint !== 'api') return undefined;
    // Somebody else's page on a neighbouring host may add a cookie of the name: that must not sign anybody out.
    const owners = new Map<string, SessionOwner>();
    for (const token of readCookies(cookie, input.headers('cookie'))) {
      const found = await sessions.find(token, input.unattended);
      if (found !== undefined) owners.set(found.sessionId, found);
    }
    // Two that are good: which one was meant is not known.
    const [owner] = owners.values();
    if (owner === undefined || owners.size > 1) return undefined;
    requireSameOrigin(input, config.publicUrl, !READING_METHODS.has(input.method ?? 'GET'));
    return owner;
  }

  /** Environment and configuration of a request about a project. */
  async function whereOf(
    input: AuthenticateInput,
    of: { readonly organisationId: string; readonly projectId: string },
    limits: readonly string[] | null,
  ): Promise<Pick<RequestContext, 'environment' | 'databaseConfigId'>> {
    const environment = await environmentOf(input, of.projectId, limits);
    if (input.storage === undefined || parts.places === undefined) {
      return { environment, databaseConfigId: DEFAULT_DATABASE_CONFIG_ID };
    }
    const named = contextHeader(input, 'x-platform-database-config-id');
    const chosen = environment ?? DEFAULT_ENVIRONMENT;
    return {
      environment: chosen,
      databaseConfigId: await parts.places.resolve({ ...of, environment: chosen, limits, named }),
    };
  }

  async function environmentOf(
    input: AuthenticateInput,
    projectId: string,
    limits: readonly string[] | null,
  ): Promise<string | undefined> {
    const name = contextHeader(input, 'x-platform-environment');
    if (name === undefined) return limits === null ? undefined : limits[0];
    if (!isEnvironmentName(name)) {
      throw fail('bad_environment_name', { name: JSON.stringify(name.slice(0, 80)) });
    }
    if (limits !== null && !limits.includes(name)) {
      throw fail('forbidden', {
        detail: 'This API key does not reach the environment named in x-platform-environment.',
      });
    }
    if (input.endpoint === 'api' && !(await directory.hasEnvironment(projectId, name))) {
      throw fail('not_found', { what: `Environment "${name}"` });
    }
    return name;
  }

  /** A key and nobody in particular reach one project. */
  async function ofProject(
    input: AuthenticateInput,
    who: Pick<RequestContext, 'principal' | 'organisationId' | 'projectId' | 'scopes'>,
    limits: readonly string[] | null,
  ): Promise<RequestContext> {
    requireOneOf(input, 'x-platform-organisation-id', [who.organisationId], 'organisation');
    requireOneOf(input, 'x-platform-project-id', [who.projectId], 'project');
    return {
      ...who,
      ...(await whereOf(input, who, limits)),
      requestId: input.requestId ?? newRequestId(),
    };
  }

  async function ofPerson(input: AuthenticateInput, owner: SessionOwner): Promise<RequestContext> {
    const { userId, email, sessionId, membership } = owner;
    const requestId = input.requestId ?? newRequestId();
    const rest = { databaseConfigId: DEFAULT_DATABASE_CONFIG_ID, scopes: ALL_SCOPES, requestId };
    const role = membership?.role ?? 'viewer';
    const principal = { kind: 'user', id: userId, name: email, sessionId, role } as const;
    if (input.on === 'account') {
      // What the page shows beside it does not matter here.
      const organisationId = membership?.organisationId ?? '';
      return { ...rest, principal, organisationId, projectId: '', environment: undefined };
    }
    if (membership === undefined) {
      throw fail('forbidden', {
        detail: 'Your account belongs to no organisation (any more). Ask for an invitation.',
      });
    }
    const { organisationId } = membership;
    requireOneOf(input, 'x-platform-organisation-id', [organisationId], 'organisation');
    const reached = await directory.projectsOf({ userId, organisationId, role });
    const projectId = requireOneOf(input, 'x-platform-project-id', reached, 'project') ?? reached[0];
    if (projectId === undefined && input.on !== 'organisation') {
      throw fail('forbidden', {
        detail: 'You were added to no project yet. Ask an admin of the organisation.',
      });
    }
    if (projectId === undefined) {
      return { ...rest, principal, organisationId, projectId: '', environment: undefined };
    }
    const where = await whereOf(input, { organisationId, projectId }, null);
    return { ...rest, ...where, principal, organisationId, projectId };
  }

  return {
    acceptsAnonymousIngest: config.ingestAnonymous && !needsKey,
    sessions,
    directory,
    person,

    addressOf,

    requireOwnPage(input) {
      if (!READING_METHODS.has(input.method ?? 'GET')) requireSameOrigin(input, config.publicUrl, false);
    },

    async mayLookAround(input) {
      try {
        await requireAnonymous(input);
        return true;
      } catch (thrown) {
        if (thrown instanceof CandelaError && thrown.status < 500) return false;
        throw thrown;
      }
    },

    async authenticate(input) {
      const key = await byKey(input);
      if (key !== undefined) {
        const { id, name, organisationId, projectId, scopes, environments, role } = key;
        const principal = {
          kind: 'key',
          id,
          ...(name === undefined ? {} : { name }),
          ...(role === undefined ? {} : { role }),
        } as const;
        return ofProject(input, { principal, organisationId, projectId, scopes }, environments);
      }
      const owner = await person(input);
      if (owner !== undefined) return ofPerson(input, owner);
      await requireAnonymous(input);
      const nobody = {
        principal: { kind: 'anonymous' },
        organisationId: DEFAULT_ORGANISATION_ID,
        projectId: DEFAULT_PROJECT_ID,
        scopes: ANONYMOUS_SCOPES,
      } as const;
      return ofProject(input, nobody, null);
    },

    learnEnvironments: (projectId, names) => directory.learn(projectId, names),
    settle: async () => {
      await Promise.all([directory.settle(), keys.settle(), sessions.settle()]);
    },
  };
}

/** One value of a context header; empty, repeated or comma-joined ones are refused rather than guessed at. */
function contextHeader(input: AuthenticateInput, name: string): string | undefined {
  const value = input.headers(name);
  if (value === undefined) return undefined;
  if (value.trim() === '' || value.includes(',') || value.length > 128) {
    throw fail('bad_request', { detail: `The header ${name} needs exactly one value, or leave it out.` });
  }
  return value.trim();
}

/** What the header names, which must be reached; undefined when it is not there. */
function requireOneOf(
  input: AuthenticateInput,
  header: string,
  reached: readonly string[],
  what: string,
): string | undefined {
  const named = contextHeader(input, header);
  if (named === undefined || reached.includes(named)) return named;
  throw fail('forbidden', { detail: `This credential does not reach the ${what} named in ${header}.` });
}
