import { type ContextRecord, EVALUATE_LIMITS } from '@candela/contract';
import { fail } from '@candela/kernel';
import type { MetadataStore, StoredContext } from '@candela/metadata-store';
import type { EntityKind } from './entity.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

const recordOf = (context: StoredContext): ContextRecord => ({
  id: context.id,
  name: context.name,
  description: context.description,
  content: context.content,
  tags: [...context.tags],
  meta_properties: { ...context.meta },
  status: context.status,
  created_by: context.createdBy,
  created_at: iso(context.createdAt),
  updated_at: iso(context.updatedAt),
});

/** Contexts: texts that are handed out whole. */
export function contextKind(metadata: MetadataStore): EntityKind {
  return {
    type: 'context',
    label: 'context',
    look: async ({ contexts }, place, ids) =>
      new Map(
        (await contexts.heads(place, ids)).map(({ id, name, status }) => [
          id,
          { name, active: status === 'ACTIVE' },
        ]),
      ),
    inactive: ({ contexts }, place) => contexts.inactive(place),
    async records(place, ids) {
      const size = await metadata.contexts.sizeOf(place, ids);
      if (size > EVALUATE_LIMITS.recordCharacters) {
        throw fail('refused', {
          detail: `The contexts of the rules that match have ${size} characters together; an answer holds ${EVALUATE_LIMITS.recordCharacters} at most. Ask without include_entity_data and fetch those that are needed.`,
        });
      }
      const found = await metadata.contexts.byIds(place, ids);
      return new Map(found.map((context) => [context.id, recordOf(context)]));
    },
  };
}
