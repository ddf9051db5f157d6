import type { SavedView } from '@candela/contract';
import { fail } from '@candela/kernel';
import type { AuditDetails, MetadataStore, StoredView, ViewPlace } from '@candela/metadata-store';
import type { Handlers } from '../../http/handlers.ts';
import { callOf } from '../../http/idempotency.ts';
import { type AuditEntry, record } from '../audit/service.ts';

type ViewHandlers = Pick<Handlers, 'listViews' | 'createView' | 'getView' | 'updateView' | 'deleteView'>;

const iso = (ms: number): string => new Date(ms).toISOString();
const show = (view: StoredView): SavedView => ({
  ...view,
  createdAt: iso(view.createdAt),
  updatedAt: iso(view.updatedAt),
});

const entry = (
  verb: 'create' | 'update' | 'delete',
  objectId: string,
  details: AuditDetails,
): AuditEntry => ({ action: `view.${verb}`, objectKind: 'view', objectId, details });

/** Saved views: the state of a page under a name, for everybody in the project. */
export function viewHandlers(metadata: MetadataStore): ViewHandlers {
  return {
    listViews: async ({ context, query }) => {
      const { views, next } = await metadata.views.list(context.projectId, {
        page: query.page,
        limit: query.limit,
        after: query.cursor === undefined ? undefined : readCursor(query.cursor, query.page),
      });
      return { data: views.map(show), nextCursor: next === undefined ? null : writeCursor(next, query.page) };
    },
    createView: async ({ context, body, header }) => {
      const call = callOf(context, 'createView', header('idempotency-key'), body);
      const view = await metadata.change(call, async (repositories) => {
        const made = await repositories.views.create(context.projectId, body);
        await record(repositories, context, entry('create', made.id, { name: made.name, page: made.page }));
        return made;
      });
      return { data: show(view) };
    },
    getView: async ({ context, params }) => ({
      data: show(await metadata.views.get(context.projectId, params.id)),
    }),
    updateView: async ({ context, params, body, header }) => {
      const { name, description, search } = body;
      const changes = {
        ...(name === undefined ? {} : { name }),
        ...(description === undefined ? {} : { description }),
        ...(search === undefined ? {} : { search }),
      };
      const call = callOf(context, 'updateView', header('idempotency-key'), { ...params, changes });
      const view = await metadata.change(call, async (repositories) => {
        const changed = await repositories.views.update(context.projectId, params.id, changes);
        const details = { name: changed.name, changed: Object.keys(changes) };
        await record(repositories, context, entry('update', changed.id, details));
        return changed;
      });
      return { data: show(view) };
    },
    deleteView: async ({ context, params, header }) => {
      const call = callOf(context, 'deleteView', header('idempotency-key'), params);
      return {
        data: await metadata.change(call, async (repositories) => {
          const { name, page } = await repositories.views.get(context.projectId, params.id);
          await repositories.views.delete(context.projectId, params.id);
          await record(repositories, context, entry('delete', params.id, { name, page }));
          return { id: params.id };
        }),
      };
    },
  };
}

function writeCursor({ nameKey, id }: ViewPlace, page: string | undefined): string {
  return Buffer.from(JSON.stringify([page ?? '', nameKey, id])).toString('base64url');
}

function readCursor(text: string, page: string | undefined): ViewPlace {
  const refuse = () =>
    fail('bad_query', { detail: 'The cursor does not belong to this list. Start again without one.' });
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    throw refuse();
  }
  if (!Array.isArray(parts) || parts.length !== 3) throw refuse();
  if (!parts.every((part): part is string => typeof part === 'string')) throw refuse();
  const [of = '', nameKey = '', id = ''] = parts;
  if (of !== (page ?? '')) throw refuse();
  return { nameKey, id };
}
