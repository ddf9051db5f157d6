import type {
  BodyOf,
  ParamsOf,
  QueryOf,
  ResponseOf,
  ROUTES,
  RouteDeclaration,
  RouteId,
} from '@candela/contract';
import type { ClientOrigin, RequestContext } from '@candela/kernel';
import type { AuthenticateInput } from '../features/identity/service.ts';
import type { EventAnswer, FileAnswer } from './stream-answer.ts';

/** What a handler gets: validated input, who asks, and a signal that fires when the client is gone. */
interface HandlerInput<R extends RouteDeclaration> {
  /** Undefined only on `public` routes. */
  readonly context: R['permission'] extends 'public' ? undefined : RequestContext;
  readonly params: ParamsOf<R>;
  readonly query: QueryOf<R>;
  readonly body: BodyOf<R>;
  readonly signal: AbortSignal;
  /**
   * Writes the body of a route with `upload` to a new file; resolves with its bytes. `most`: where less than the route
   * takes is taken. @throws too_large, bad_request
   */
  readonly save: (path: string, most?: number) => Promise<number>;
  /** A request header by lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** Of public routes, which have no context: where the request came from, for the audit log. */
  readonly client: ClientOrigin;
  readonly requestId: string;
  /** The request as identity looks at it: for public routes, which find out by themselves who asks. */
  readonly caller: AuthenticateInput;
  /** Adds a `Set-Cookie` header to the answer; a stream sends none. */
  readonly setCookie: (cookie: string) => void;
  /** Names the version of the answer: a client that says it has it (`If-None-Match`) gets 304 and no body. */
  readonly etag: (tag: string) => void;
}

/** One JSON document, or for a route that streams its events or its file. */
type AnswerOf<R extends RouteDeclaration> = R['stream'] extends 'events'
  ? EventAnswer
  : R['stream'] extends 'file'
    ? FileAnswer
    : ResponseOf<R>;

type Handler<R extends RouteDeclaration> = (input: HandlerInput<R>) => Promise<AnswerOf<R>> | AnswerOf<R>;

/** One handler for every declared route: the compiler demands the ones that are missing. */
export type Handlers = { readonly [Id in RouteId]: Handler<(typeof ROUTES)[Id]> };
