/** What a route answers: one JSON document or a stream of server-sent events. */
export type Reply =
  | { readonly kind: 'json'; readonly status: number; readonly body: object }
  | {
      readonly kind: 'events';
      readonly events: readonly { readonly event?: string; readonly data: object | string }[];
    };

let answers = 0;

/** The id of an answer: as of a vendor, no two have the same. */
export const nextId = (prefix: string): string => `${prefix}_${++answers}`;
