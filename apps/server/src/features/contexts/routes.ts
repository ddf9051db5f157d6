import type { RequestContext } from '@candela/kernel';
import type { ContextPlace, MetadataStore } from '@candela/metadata-store';
import type { Handlers } from '../../http/handlers.ts';
import { callOf } from '../../http/idempotency.ts';
import { readCursor, writeCursor } from '../identity/cursors.ts';
import { createContexts } from './service.ts';

type ContextHandlers = Pick<
  Handlers,
  | 'listContexts'
  | 'createContext'
  | 'getContext'
  | 'replaceContext'
  | 'deleteContext'
  | 'listContextVersions'
  | 'getContextVersion'
  | 'restoreContextVersion'
>;

/** Contexts: texts that rules hand to applications. */
export function contextHandlers(metadata: MetadataStore): ContextHandlers {
  const contexts = createContexts({ metadata });
  return {
    listContexts: async ({ context, query: { q, status, limit, cursor } }) => {
      const list = listName('contexts', context, [q ?? null, status ?? null]);
      const after = cursor === undefined ? undefined : placeOf(list, cursor);
      const { contexts: page, next } = await contexts.list(context, { search: q, status, limit, after });
      return {
        data: page,
        nextCursor: next === undefined ? null : writeCursor(list, [next.nameKey, next.id]),
      };
    },

    createContext: async ({ context, body, header }) => {
      const call = callOf(context, 'createContext', header('idempotency-key'), body);
      return { data: await contexts.create(context, body, call) };
    },

    getContext: async ({ context, params }) => ({ data: await contexts.get(context, params.id) }),

    replaceContext: async ({ context, params, body, header }) => {
      const call = callOf(context, 'replaceContext', header('idempotency-key'), { ...params, body });
      return { data: await contexts.replace(context, params.id, body, call) };
    },

    deleteContext: async ({ context, params, header }) => {
      const call = callOf(context, 'deleteContext', header('idempotency-key'), params);
      return { data: await contexts.delete(context, params.id, call) };
    },

    listContextVersions: async ({ context, params, query: { limit, cursor } }) => {
      const list = listName('context-versions', context, [params.id]);
      const before = cursor === undefined ? undefined : Number(readCursor(list, cursor, ['number'])[0]);
      const { versions, next } = await contexts.versions(context, params.id, { limit, before });
      return { data: versions, nextCursor: next === undefined ? null : writeCursor(list, [next]) };
    },

    getContextVersion: async ({ context, params }) => ({
      data: await contexts.version(context, params.id, params.version),
    }),

    restoreContextVersion: async ({ context, params, body, header }) => {
      const call = callOf(context, 'restoreContextVersion', header('idempotency-key'), { ...params, body });
      return { data: await contexts.restore(context, params.id, body, call) };
    },
  };
}

/** A list is one question about one place: a cursor of another one does not go on here. */
const listName = (
  name: string,
  { projectId, databaseConfigId }: RequestContext,
  question: readonly (string | null)[],
): string => JSON.stringify([name, projectId, databaseConfigId, ...question]);

function placeOf(list: string, cursor: string): ContextPlace {
  const [nameKey, id] = readCursor(list, cursor, ['string', 'string']);
  return { nameKey: String(nameKey), id: String(id) };
}
