/** The scopes a key may carry. `feedback` alone is for a key that a web page shows to everybody. */
export const SCOPES = [
  'ingest',
  'telemetry',
  'prompts',
  'vault',
  'rule_engine',
  'evaluation',
  'chat',
  'controller',
  'db_config',
  'feedback',
] as const;
export type Scope = (typeof SCOPES)[number];

/** Roles of people, the least first. Viewers read, members also make, admins manage, owners own. */
export const ROLES = ['viewer', 'member', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** True when a role may do what needs at least `least`. */
export function hasRole(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** Who acts. `name` is what they are called at the moment, for the audit log: an e-mail address, the name of a key. */
export type Principal =
  /** `role`: of the person for whom an application acts; it may do no more than they may. */
  | { readonly kind: 'key'; readonly id: string; readonly name?: string; readonly role?: Role }
  | {
      readonly kind: 'user';
      readonly id: string;
      readonly name?: string;
      readonly sessionId: string;
      readonly role: Role;
    }
  /** The platform itself: a job. `role`: of those who see what it finds. */
  | { readonly kind: 'system'; readonly id: string; readonly name?: string; readonly role?: Role }
  /** Loopback without a credential: may ingest, and may read while no owner exists. */
  | { readonly kind: 'anonymous' };

/** Where a request came from: the address of the connection and what the client calls itself. For the audit log. */
export interface ClientOrigin {
  readonly address: string;
  readonly userAgent: string | undefined;
}

/**
 * Who asks and for which tenant. Built once at the edge from credential and headers; the first argument of every
 * service and of every telemetry query. Nothing else names a tenant.
 */
export interface RequestContext {
  readonly principal: Principal;
  readonly organisationId: string;
  readonly projectId: string;
  /** Undefined on reads means all environments of the project. */
  readonly environment: string | undefined;
  readonly databaseConfigId: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly requestId: string;
  /** The time range that the request is about, in nanoseconds; undefined where it names none. */
  readonly window?: { readonly from: bigint; readonly to: bigint };
  /** Undefined where there is no request over HTTP: tests, work of the platform itself. */
  readonly client?: ClientOrigin;
}

/** What counts as one that asks, where what there is must be shared out: its credential, or without one its address. */
export function askerOf({ principal, client }: Pick<RequestContext, 'principal' | 'client'>): string {
  return principal.kind === 'anonymous'
    ? `anonymous ${client?.address ?? ''}`
    : `${principal.kind} ${principal.id}`;
}

export const DEFAULT_ORGANISATION_ID = 'default';
export const DEFAULT_PROJECT_ID = 'default';
export const DEFAULT_ENVIRONMENT = 'production';
export const DEFAULT_DATABASE_CONFIG_ID = 'embedded';

const ENVIRONMENT_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** True for a well-formed environment name (`^[a-z0-9][a-z0-9._-]{0,62}$`). */
export function isEnvironmentName(name: string): boolean {
  return ENVIRONMENT_NAME.test(name);
}
