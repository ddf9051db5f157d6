import type { BodyOf, QueryOf, ResponseOf, RouteDeclaration, ROUTES } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { Handlers } from './handlers.ts';

type Routes = typeof ROUTES;
type Plain = RouteDeclaration & { stream: undefined; params: undefined };
/** Routes that take everything from their body, or everything from their query. */
type AskedRouteId = {
  [Id in keyof Routes]: Routes[Id] extends Plain & ({ query: undefined } | { body: undefined }) ? Id : never;
}[keyof Routes];
type InputOf<Id extends keyof Routes> = Routes[Id] extends { body: undefined }
  ? QueryOf<Routes[Id]>
  : BodyOf<Routes[Id]>;

/** A route as a function: what is asked in its body, or in its query, is answered as the API answers it. */
export type RouteFunction<Id extends keyof Routes> = (
  context: RequestContext,
  asked: InputOf<Id>,
  signal: AbortSignal,
) => Promise<ResponseOf<Routes[Id]>>;

/** Handlers as functions for other features, so that what they show and the API never differ. */
export function routeFunctions<Id extends AskedRouteId>(
  handlers: () => Pick<Handlers, Id>,
  ids: readonly Id[],
): { readonly [Key in Id]: RouteFunction<Key> } {
  const entries = ids.map((id) => [
    id,
    // These handlers read context, signal, and body or query of their input.
    (context: unknown, asked: unknown, signal: unknown) =>
      (handlers()[id] as unknown as (input: unknown) => unknown)({
        context,
        body: asked,
        query: asked,
        signal,
      }),
  ]);
  return Object.fromEntries(entries) as { readonly [Key in Id]: RouteFunction<Key> };
}
