import type {
  BodyOf,
  ParamsOf,
  QueryOf,
  ResponseOf,
  ROUTES,
  RouteDeclaration,
  RouteId,
} from '@candela/contract';
import type { RequestContext } from '@candela/kernel';

/** What a handler gets: validated input, who asks, and a signal that fires when the client is gone. */
interface HandlerInput<R extends RouteDeclaration> {
  /** Undefined only on `public` routes. */
  readonly context: R['permission'] extends 'public' ? undefined : RequestContext;
  readonly params: ParamsOf<R>;
  readonly query: QueryOf<R>;
  readonly body: BodyOf<R>;
  readonly signal: AbortSignal;
}

type Handler<R extends RouteDeclaration> = (input: HandlerInput<R>) => Promise<ResponseOf<R>> | ResponseOf<R>;

/** One handler for every declared route: the compiler demands the ones that are missing. */
export type Handlers = { readonly [Id in RouteId]: Handler<(typeof ROUTES)[Id]> };
