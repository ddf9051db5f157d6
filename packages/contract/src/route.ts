import type { ErrorCode, Role, Scope } from '@candela/kernel';
import type { z } from 'zod';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call a route. `public` answers anybody. Otherwise a key needs the scope (`session`: no key is let in,
 * whatever its scopes; a signed-in person is needed) and a person at least the role in the organisation (`signed-in`:
 * any account, also one that belongs to none).
 */
export type Permission = 'public' | Access;

export interface Access {
  readonly key: Scope | 'session';
  readonly role: Role | 'signed-in';
  /** What the route is about: the person, their organisation, or one of its projects, which they then must reach. */
  readonly on: 'account' | 'organisation' | 'project';
}

/** Reads of a project: keys with the scope, every role. */
export const reads = (scope: Scope): Access => ({ key: scope, role: 'viewer', on: 'project' });
/** Changes in a project: keys with the scope, people from member on. */
export const writes = (scope: Scope): Access => ({ key: scope, role: 'member', on: 'project' });
/** Settings of a project: people with the role, no keys. */
export const manages = (role: Role): Access => ({ key: 'session', role, on: 'project' });
/** Settings of the organisation: people with the role, no keys. */
export const governs = (role: Role): Access => ({ key: 'session', role, on: 'organisation' });
/** A person's own account. */
export const ownAccount: Access = { key: 'session', role: 'signed-in', on: 'account' };

/**
 * Answers that are not one JSON document: `events` are server-sent events whose data is the `response` schema; a
 * `file` is a download in one of the route's `produces` types.
 */
export type StreamKind = 'events' | 'file';

/**
 * Answers that are always 200 `{err, res}`, because shipped clients read nothing else: every failure, also of the
 * credential, is a sentence in `err` with this in `res`; its code is in the header as everywhere.
 */
export interface Envelope {
  readonly onFailure: null | Readonly<Record<string, never>>;
}

/**
 * What becomes of what a web page asks from an origin that is not on the list of allowed ones: `refused` with 403
 * before the credential is looked at, or `unread`: answered without the header that would let the page read it.
 */
export type CrossOrigin = 'refused' | 'unread';

export interface RouteDeclaration {
  /** Unique, stable; the operationId of the OpenAPI document. */
  readonly id: string;
  readonly method: HttpMethod;
  /** OpenAPI spelling: `/api/telemetry/traces/{traceId}`. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly tag: string;
  readonly permission: Permission;
  readonly params: z.ZodType | undefined;
  readonly query: z.ZodType | undefined;
  readonly body: z.ZodType | undefined;
  /** The body is a file of at most so many bytes, which the handler saves. */
  readonly upload: number | undefined;
  readonly response: z.ZodType;
  /** Undefined: one JSON document. */
  readonly stream: StreamKind | undefined;
  /** Content types of a `file`. */
  readonly produces: readonly string[];
  /** `platform`: the context names the configuration that keeps prompts, secrets and rules. */
  readonly storage: 'platform' | undefined;
  readonly envelope: Envelope | undefined;
  /** Basic authentication is taken too, with the key as password, as where telemetry is sent: clients use one credential. */
  readonly basic: true | undefined;
  /** Undefined: pages of other origins get nowhere. */
  readonly crossOrigin: CrossOrigin | undefined;
  /** `sdk`: applications call it while they work, so it has a rate limit of its own. */
  readonly pace: 'sdk' | undefined;
  /** A reading question whose answer depends on nothing but the tenant and the input: those who ask it at once get one. */
  readonly shared: true | undefined;
  /** Status of success. */
  readonly success: 200 | 201;
  /** What may go wrong besides malformed input, a missing credential and a missing scope. */
  readonly errors: readonly ErrorCode[];
}

export interface Route<
  Params extends z.ZodType | undefined,
  Query extends z.ZodType | undefined,
  Body extends z.ZodType | undefined,
  Response extends z.ZodType,
  Stream extends StreamKind | undefined = undefined,
  Allowed extends Permission = Permission,
> extends RouteDeclaration {
  readonly permission: Allowed;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly response: Response;
  readonly stream: Stream;
}

/** Declares one route; everything else (validation, OpenAPI, client types, permission check) derives from it. */
export function defineRoute<
  Response extends z.ZodType,
  Params extends z.ZodType | undefined = undefined,
  Query extends z.ZodType | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
  Stream extends StreamKind | undefined = undefined,
  Allowed extends Permission = Permission,
>(declaration: {
  readonly id: string;
  readonly method: HttpMethod;
  readonly path: `/${string}`;
  readonly summary: string;
  readonly tag: string;
  readonly permission: Allowed;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly upload?: number;
  readonly response: Response;
  readonly stream?: Stream;
  readonly produces?: readonly string[];
  readonly storage?: 'platform';
  readonly envelope?: Envelope;
  readonly basic?: true;
  readonly crossOrigin?: CrossOrigin;
  readonly pace?: 'sdk';
  readonly shared?: true;
  readonly success?: 200 | 201;
  readonly errors?: readonly ErrorCode[];
}): Route<Params, Query, Body, Response, Stream, Allowed> {
  return {
    ...declaration,
    params: declaration.params as Params,
    query: declaration.query as Query,
    body: declaration.body as Body,
    upload: declaration.upload,
    stream: declaration.stream as Stream,
    produces: declaration.produces ?? [],
    storage: declaration.storage,
    envelope: declaration.envelope,
    basic: declaration.basic,
    crossOrigin: declaration.crossOrigin,
    pace: declaration.pace,
    shared: declaration.shared,
    success: declaration.success ?? 200,
    errors: declaration.errors ?? [],
  };
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;
type Sent<S> = S extends z.ZodType ? z.input<S> : undefined;

/** What a handler receives, validated and with defaults filled in. */
export type ParamsOf<R extends RouteDeclaration> = Parsed<R['params']>;
export type QueryOf<R extends RouteDeclaration> = Parsed<R['query']>;
export type BodyOf<R extends RouteDeclaration> = Parsed<R['body']>;
/** What a client sends. */
export type RequestBodyOf<R extends RouteDeclaration> = Sent<R['body']>;
export type RequestQueryOf<R extends RouteDeclaration> = Sent<R['query']>;
/** What a client gets. */
export type ResponseOf<R extends RouteDeclaration> = z.output<R['response']>;
