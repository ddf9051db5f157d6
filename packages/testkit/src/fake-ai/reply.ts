/** What a route answers: one JSON document or a stream of server-sent events. */
export type Reply =
  | { readonly kind: 'json'; readonly status: number; readonly body: object }
  | {
      readonly kind: 'events';
      readonly events: readonly { readonly event?: string; readonly data: object | string }[];
    };
