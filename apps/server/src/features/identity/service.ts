import { createHash, timingSafeEqual } from 'node:crypto';
import {
  DEFAULT_DATABASE_CONFIG_ID,
  DEFAULT_ENVIRONMENT,
  DEFAULT_ORGANISATION_ID,
  DEFAULT_PROJECT_ID,
  CandelaError,
  type Clock,
  type Principal,
  type RequestContext,
  SCOPES,
  type Scope,
  fail,
  isEnvironmentName,
  newRequestId,
  systemClock,
} from '@candela/kernel';
import { RateLimiter } from '../../http/rate-limit.ts';
import { hostName, isLoopbackAddress, isLoopbackName, networkOf } from './addresses.ts';
import { type Credential, parseAuthorization } from './credential.ts';

export interface IdentityConfig {
  /** Full-access key of the default project, or undefined when none was set. */
  readonly bootstrapApiKey: string | undefined;
  /** OTLP without a key from loopback. */
  readonly ingestAnonymous: boolean;
  /** Address the platform listens on. */
  readonly host: string;
  /** Wrong keys one address may send a minute before it is told to wait. */
  readonly wrongKeysPerMinute: number;
  /** Where people reach the platform, e.g. `https://candela.example.com`. */
  readonly publicUrl: string | undefined;
}

export interface AuthenticateInput {
  /** Value of a header by lower-case name; several of one name joined by `, `. */
  readonly headers: (name: string) => string | undefined;
  /** Peer address of the socket. Never taken from a header. */
  readonly remoteAddress: string;
  readonly door: 'otlp' | 'api';
  readonly requestId?: string;
}

export interface Identity {
  /**
   * Who asks, for which tenant. On the `otlp` door `environment` is undefined unless the header names one; on the
   * `api` door undefined means all environments of the project.
   * @throws no_credential, unknown_credential, rate_limited (too many wrong keys), forbidden, bad_request, bad_environment_name, not_found
   */
  authenticate(input: AuthenticateInput): RequestContext;
  /** Whether a program on this machine may send OTLP without a key. */
  readonly acceptsAnonymousIngest: boolean;
  /** Names seen in stored or arriving data; an environment exists from its first record on. */
  learnEnvironments(projectId: string, names: Iterable<string>): void;
  /** Known environments of a project, sorted. */
  environments(projectId: string): readonly string[];
  /** From now on an environment that was never learnt is a 404 on the `api` door. */
  environmentsLoaded(): void;
}

const ALL_SCOPES: ReadonlySet<Scope> = new Set(SCOPES);
const ANONYMOUS_SCOPES: ReadonlySet<Scope> = new Set<Scope>(['ingest', 'telemetry']);
const FORWARDING_HEADERS = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
];
/** `Sec-Fetch-Site` of our own page, and of an address that a person typed. */
const OWN_SITES = new Set(['same-origin', 'none']);
const ANOTHER_ORIGIN = 'This request came from another web origin. From there it needs an API key.';
const MAX_ENVIRONMENTS = 1_000;

/**
 * True when others than programs of this machine are meant to reach the platform. Then nobody counts as local: a proxy
 * on this machine that adds no header would make every stranger look like it.
 */
export function isPublic({ host, publicUrl }: Pick<IdentityConfig, 'host' | 'publicUrl'>): boolean {
  return !isLoopbackName(host) || (publicUrl !== undefined && !isLoopbackName(new URL(publicUrl).hostname));
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** One organisation, one project, one optional full-access key kept only as its SHA-256. */
export function createIdentity(config: IdentityConfig, clock: Clock = systemClock): Identity {
  const bootstrapHash = config.bootstrapApiKey === undefined ? undefined : sha256(config.bootstrapApiKey);
  const needsKey = isPublic(config);
  const wrongKeys = new RateLimiter(config.wrongKeysPerMinute, clock);
  const environments = new Map<string, Set<string>>([[DEFAULT_PROJECT_ID, new Set([DEFAULT_ENVIRONMENT])]]);
  let loaded = false;

  function byKey(credential: Credential, door: AuthenticateInput['door']): Principal {
    if (credential.scheme === 'basic' && door !== 'otlp') throw fail('unknown_credential');
    const given = sha256(credential.key);
    // Compared even when no key is set, so that the time taken says nothing.
    const matches = timingSafeEqual(given, bootstrapHash ?? Buffer.alloc(given.length));
    if (bootstrapHash === undefined || !matches) throw fail('unknown_credential');
    return { kind: 'key', id: 'bootstrap' };
  }

  /**
   * A right key always passes, also from an address that sends wrong ones: behind one address there may be many
   * senders, and a key is far too long to be guessed. The limit is against the noise.
   */
  function principalOf(input: AuthenticateInput): Principal {
    try {
      const credential = parseAuthorization(input.headers('authorization'));
      if (credential === 'unreadable') throw fail('unknown_credential');
      return credential === undefined ? anonymous(input) : byKey(credential, input.door);
    } catch (thrown) {
      if (thrown instanceof CandelaError && thrown.code === 'unknown_credential') {
        wrongKeys.take(networkOf(input.remoteAddress));
      }
      throw thrown;
    }
  }

  /** Loopback only, not through a proxy, and not a web page whose name was rebound to this machine. */
  function anonymous(input: AuthenticateInput): Principal {
    if (needsKey || !isLoopbackAddress(input.remoteAddress)) throw fail('no_credential');
    if (input.door === 'otlp' && !config.ingestAnonymous) throw fail('no_credential');
    if (FORWARDING_HEADERS.some((name) => input.headers(name) !== undefined)) throw fail('no_credential');
    const hostHeader = input.headers('host') ?? input.headers(':authority');
    const host = hostHeader === undefined ? undefined : hostName(hostHeader);
    if (hostHeader !== undefined && (host === undefined || !isLoopbackName(host))) {
      throw fail('forbidden', {
        detail:
          'Without an API key only requests to localhost are answered. Use http://localhost, or send a key.',
      });
    }
    checkOrigin(input, hostHeader);
    return { kind: 'anonymous' };
  }

  function checkOrigin(input: AuthenticateInput, hostHeader: string | undefined): void {
    // Told by the browser, not by the page. What another page asks for it could not read, but it could hold what a
    // reader has few of: event streams.
    const site = input.door === 'api' ? input.headers('sec-fetch-site') : undefined;
    if (site !== undefined && !OWN_SITES.has(site)) throw fail('forbidden', { detail: ANOTHER_ORIGIN });
    const origin = input.headers('origin');
    if (origin === undefined) return;
    const url = URL.canParse(origin) ? new URL(origin) : undefined;
    // A page in the browser of this machine may send telemetry; only our own page may ask and change anything.
    const allowed =
      url !== undefined &&
      (input.door === 'otlp'
        ? isLoopbackName(url.hostname.toLowerCase())
        : url.host === hostHeader?.trim().toLowerCase() || origin === originOf(config.publicUrl));
    if (!allowed) throw fail('forbidden', { detail: ANOTHER_ORIGIN });
  }

  function environmentOf(input: AuthenticateInput): string | undefined {
    const name = contextHeader(input, 'x-platform-environment');
    if (name === undefined) return undefined;
    if (!isEnvironmentName(name)) {
      throw fail('bad_environment_name', { name: JSON.stringify(name.slice(0, 80)) });
    }
    const known = environments.get(DEFAULT_PROJECT_ID);
    if (input.door === 'api' && loaded && known !== undefined && !known.has(name)) {
      if (known.size < MAX_ENVIRONMENTS) throw fail('not_found', { what: `Environment "${name}"` });
    }
    return name;
  }

  return {
    acceptsAnonymousIngest: config.ingestAnonymous && !needsKey,
    authenticate(input) {
      const principal = principalOf(input);
      requireOwn(input, 'x-platform-organisation-id', DEFAULT_ORGANISATION_ID, 'organisation');
      requireOwn(input, 'x-platform-project-id', DEFAULT_PROJECT_ID, 'project');
      return {
        principal,
        organisationId: DEFAULT_ORGANISATION_ID,
        projectId: DEFAULT_PROJECT_ID,
        environment: environmentOf(input),
        databaseConfigId: DEFAULT_DATABASE_CONFIG_ID,
        scopes: principal.kind === 'anonymous' ? ANONYMOUS_SCOPES : ALL_SCOPES,
        requestId: input.requestId ?? newRequestId(),
      };
    },
    learnEnvironments(projectId, names) {
      let known = environments.get(projectId);
      if (known === undefined) environments.set(projectId, (known = new Set([DEFAULT_ENVIRONMENT])));
      for (const name of names) if (known.size < MAX_ENVIRONMENTS) known.add(name);
    },
    environments: (projectId) => [...(environments.get(projectId) ?? [DEFAULT_ENVIRONMENT])].sort(),
    environmentsLoaded() {
      loaded = true;
    },
  };
}

function originOf(publicUrl: string | undefined): string | undefined {
  return publicUrl === undefined ? undefined : new URL(publicUrl).origin;
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

function requireOwn(input: AuthenticateInput, header: string, own: string, what: string): void {
  const named = contextHeader(input, header);
  if (named !== undefined && named !== own) {
    throw fail('forbidden', { detail: `This credential does not reach the ${what} named in ${header}.` });
  }
}
