import type { BodyOf, ResponseOf, RouteDeclaration, ROUTES } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { Handlers } from './handlers.ts';

type Routes = typeof ROUTES;
/** Routes that take everything from their body. */
export type BodyRouteId = {
  [Id in keyof Routes]: Routes[Id] extends RouteDeclaration & {
    stream: undefined;
    params: undefined;
    query: undefined;
  }
    ? Id
    : never;
}[keyof Routes];

/** A route as a function: what is asked in the body is answered as the API answers it. */
export type RouteFunction<Id extends keyof Routes> = (
  context: RequestContext,
  body: BodyOf<Routes[Id]>,
  signal: AbortSignal,
) => Promise<ResponseOf<Routes[Id]>>;

/** Handlers as functions for other features, so that what they show and the API never differ. */
export function routeFunctions<Id extends BodyRouteId>(
  handlers: Pick<Handlers, Id>,
  ids: readonly Id[],
): { readonly [Key in Id]: RouteFunction<Key> } {
  const entries = ids.map((id) => [
    id,
    // These handlers read context, body and signal of their input.
    (context: unknown, body: unknown, signal: unknown) =>
      (handlers[id] as unknown as (input: unknown) => unknown)({ context, body, signal }),
  ]);
  return Object.fromEntries(entries) as { readonly [Key in Id]: RouteFunction<Key> };
}
