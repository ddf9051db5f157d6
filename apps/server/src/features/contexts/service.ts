import type {
  BodyOf,
  Context,
  ContextSummary,
  ContextVersion,
  ContextVersionSummary,
  ROUTES,
} from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type {
  Call,
  ContextDocument,
  MetadataStore,
  Repositories,
  StorageScope,
  StoredContext,
} from '@candela/metadata-store';
import { actorName, type AuditEntry, record } from '../audit/service.ts';
import { usedBy } from '../rules/used-by.ts';

type ContextBody = BodyOf<typeof ROUTES.createContext>;

const iso = (ms: number): string => new Date(ms).toISOString();
const entry = (
  verb: 'create' | 'update' | 'delete' | 'restore',
  id: string,
  details: NonNullable<AuditEntry['details']>,
): AuditEntry => ({ action: `context.${verb}`, objectKind: 'context', objectId: id, details });

const documentOf = ({ metaProperties, ...rest }: ContextBody): ContextDocument => ({
  ...rest,
  meta: metaProperties,
});

/** Contexts of a project and database configuration: what people see and change of them. */
export function createContexts({ metadata }: { metadata: MetadataStore }) {
  async function show(
    repositories: Repositories,
    place: StorageScope,
    { meta, tags, ...rest }: StoredContext,
  ): Promise<Context> {
    return {
      ...rest,
      tags: [...tags],
      metaProperties: { ...meta },
      usedBy: await usedBy(repositories, place, 'context', rest.id),
      createdAt: iso(rest.createdAt),
      updatedAt: iso(rest.updatedAt),
    };
  }

  return {
    async list(context: RequestContext, input: Parameters<MetadataStore['contexts']['list']>[1]) {
      const { contexts, next } = await metadata.contexts.list(context, input);
      const shown = contexts.map(
        ({ tags, createdAt, updatedAt, ...rest }): ContextSummary => ({
          ...rest,
          tags: [...tags],
          createdAt: iso(createdAt),
          updatedAt: iso(updatedAt),
        }),
      );
      return { contexts: shown, next };
    },

    get: async (context: RequestContext, id: string): Promise<Context> =>
      show(metadata, context, await metadata.contexts.get(context, id)),

    create(context: RequestContext, body: ContextBody, call: Call | undefined): Promise<Context> {
      return metadata.change(call, async (repositories) => {
        const made = await repositories.contexts.create(context, documentOf(body), actorName(context));
        const { name, status } = made;
        await record(repositories, context, entry('create', made.id, { name, status }));
        return show(repositories, context, made);
      });
    },

    replace(
      context: RequestContext,
      id: string,
      { revision, ...body }: ContextBody & { readonly revision?: number | undefined },
      call: Call | undefined,
    ): Promise<Context> {
      return metadata.change(call, async (repositories) => {
        const input = { revision, context: documentOf(body), by: actorName(context) };
        const changed = await repositories.contexts.replace(context, id, input);
        const { name, status, version } = changed;
        await record(repositories, context, entry('update', id, { name, status, version }));
        return show(repositories, context, changed);
      });
    },

    delete(context: RequestContext, id: string, call: Call | undefined): Promise<{ id: string }> {
      return metadata.change(call, async (repositories) => {
        const { name } = await repositories.contexts.get(context, id);
        const rules = await usedBy(repositories, context, 'context', id);
        await repositories.contexts.delete(context, id);
        await record(repositories, context, entry('delete', id, { name, rules: rules.length }));
        return { id };
      });
    },

    async versions(
      context: RequestContext,
      id: string,
      input: { readonly limit: number; readonly before: number | undefined },
    ) {
      const { versions, next } = await metadata.contexts.versions(context, id, input);
      const shown = versions.map(
        ({ tags, createdAt, ...rest }): ContextVersionSummary => ({
          ...rest,
          tags: [...tags],
          createdAt: iso(createdAt),
        }),
      );
      return { versions: shown, next };
    },

    async version(context: RequestContext, id: string, number: number): Promise<ContextVersion> {
      const { meta, tags, createdAt, ...rest } = await metadata.contexts.version(context, id, number);
      return { ...rest, tags: [...tags], metaProperties: { ...meta }, createdAt: iso(createdAt) };
    },

    restore(
      context: RequestContext,
      id: string,
      { version, revision }: BodyOf<typeof ROUTES.restoreContextVersion>,
      call: Call | undefined,
    ): Promise<Context> {
      return metadata.change(call, async (repositories) => {
        const before = await repositories.contexts.get(context, id);
        const { content, tags, meta } = await repositories.contexts.version(context, id, version);
        const changed = await repositories.contexts.replace(context, id, {
          revision: revision ?? before.revision,
          context: { ...before, content, tags, meta },
          by: actorName(context),
        });
        const details = { name: changed.name, from: version, version: changed.version };
        await record(repositories, context, entry('restore', id, details));
        return show(repositories, context, changed);
      });
    },
  };
}
