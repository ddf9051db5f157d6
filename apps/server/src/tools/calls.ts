import { type RouteDeclaration, ROUTES, type RouteId } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { authorise } from '../features/identity/access.ts';
import { withWindow } from '../features/telemetry/service.ts';
import type { AuthenticateInput } from '../features/identity/service.ts';
import type { Handlers } from '../http/handlers.ts';
import type { SharedAnswers } from '../http/shared-answers.ts';
import type { EventAnswer } from '../http/stream-answer.ts';
import { validate } from '../http/validate.ts';

/** What is sent with a call of a route. */
export interface CallInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Calls a route as who asks: its permission and validation hold. @throws forbidden, bad_request, and what the route throws */
export type Call = (route: RouteId, input?: CallInput) => Promise<unknown>;

/** Who asks, and how the request came. */
export interface Caller {
  readonly context: RequestContext;
  /** The same for routes that read what is kept in a database configuration. Undefined: `context` is it. */
  platform?(): Promise<RequestContext>;
  readonly caller: AuthenticateInput;
  readonly signal: AbortSignal;
  /** With it a call of a route that writes is done once, however often it is sent. */
  readonly idempotencyKey?: string | undefined;
}

/** Streams that end with their result; others have no end, or are for a person. */
const RUNS: ReadonlySet<RouteId> = new Set<RouteId>(['runAnalysis']);

/** What calls of routes need: the handlers, and the answers that equal questions share with pages. */
export interface CallParts {
  readonly handlers: Handlers;
  readonly answers: SharedAnswers;
}

/** Calls of routes within the process. */
export function createCalls({ handlers, answers }: CallParts, asker: Caller): Call {
  const { caller, signal, idempotencyKey } = asker;
  let platform: Promise<RequestContext> | undefined;
  return async (id, { params = {}, query = {}, body } = {}) => {
    const route: RouteDeclaration = ROUTES[id];
    const isRun = RUNS.has(id);
    if (route.permission === 'public' || (route.stream !== undefined && !isRun)) {
      throw new RangeError(`${id} is no route that tools call`);
    }
    if (route.storage === 'platform') platform ??= asker.platform?.();
    const context = (route.storage === 'platform' ? await platform : undefined) ?? asker.context;
    authorise(route.permission, context);
    const sent = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
    // The types of input and handler meet in `Handlers`; an id of the table cannot carry them here.
    const handler = handlers[id] as (input: unknown) => unknown;
    const asked = {
      params: validate(route.params, params, 'path'),
      query: validate(route.query, sent, 'query'),
      body: validate(route.body, body, 'body'),
    };
    const given = {
      ...asked,
      context: withWindow(context, [asked.body, asked.query], Date.now()),
      header: (name: string) => (name === 'idempotency-key' ? idempotencyKey : undefined),
      client: context.client,
      requestId: context.requestId,
      caller,
      setCookie: () => undefined,
      etag: () => undefined,
    };
    if (route.shared === true) {
      const question = [id, asked.params, asked.query, asked.body];
      const text = await answers.ask(context, question, signal, async (until) =>
        JSON.stringify(await handler({ ...given, signal: until })),
      );
      return JSON.parse(text) as unknown;
    }
    const answer = handler({ ...given, signal });
    return isRun ? lastOf(await answer) : answer;
  };
}

/** What a run says at its end. */
async function lastOf(answer: unknown): Promise<unknown> {
  let last: unknown;
  for await (const { data } of (answer as EventAnswer).events) last = data;
  return last;
}
