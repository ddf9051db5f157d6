import { fail } from '@candela/kernel';
import type { Access } from '../access.ts';
import type { StorageScope } from '../storage-scope.ts';
import { unlessTaken } from '../unless-taken.ts';
import { missing, published } from './rows.ts';
import type { PromptContent, Prompts } from './types.ts';

type Writes = Pick<
  Prompts,
  | 'create'
  | 'saveDraft'
  | 'discardDraft'
  | 'publish'
  | 'setLabel'
  | 'removeLabel'
  | 'setProtectedLabels'
  | 'delete'
>;

const columnsOf = ({ prompt, tags, meta, chat }: PromptContent) => ({
  prompt,
  tags: JSON.stringify(tags),
  meta: JSON.stringify(meta),
  chat: chat ?? null,
});

export function promptWrites(access: Access, get: Prompts['get']): Writes {
  const { database, at, clock, dialect, limits } = access;

  async function row(place: StorageScope, id: string, revision?: number) {
    const found = await database
      .selectFrom('prompts')
      .selectAll()
      .where('project_id', '=', place.projectId)
      .where('database_config_id', '=', place.databaseConfigId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (found === undefined) throw missing();
    if (revision !== undefined && revision !== found.revision) {
      throw fail('conflict', {
        detail: `Somebody changed this prompt meanwhile: it is at revision ${found.revision}, not ${revision}. Read it again, then change it.`,
      });
    }
    return found;
  }

  async function touch(
    place: StorageScope,
    id: string,
    changes: { revision?: number; draft_id?: string | null; latest_id?: string; versions?: number },
  ): Promise<void> {
    await at(place)
      .updateTable('prompts')
      .set({ ...changes, updated_at: clock.now() })
      .where('id', '=', id)
      .execute();
  }

  /** Tags that the prompt is found by. */
  async function setTags(place: StorageScope, promptId: string, tags: readonly string[]): Promise<void> {
    await at(place).deleteFrom('prompt_tags').where('prompt_id', '=', promptId).execute();
    if (tags.length === 0) return;
    const rows = tags.map((tag) => ({ prompt_id: promptId, tag }));
    await at(place).insertInto('prompt_tags').values(rows).execute();
  }

  /** A published version is only ever inserted or left alone: every update and delete of content names a draft. */
  const ofDraft = (place: StorageScope, promptId: string, draftId: string) =>
    at(place).updateTable('prompt_versions').where('id', '=', draftId).where('draft_of', '=', promptId);

  return {
    async create(place, { name, content, by }, publishAs) {
      const { count } = await database
        .selectFrom('prompts')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('project_id', '=', place.projectId)
        .where('database_config_id', '=', place.databaseConfigId)
        .executeTakeFirstOrThrow();
      if (count >= limits.promptsPerPlace) {
        throw fail('refused', {
          detail: `There are ${limits.promptsPerPlace} prompts here, which is the most there may be. Delete some first.`,
        });
      }
      const now = clock.now();
      const [id, versionId] = [crypto.randomUUID(), crypto.randomUUID()];
      const taken = () =>
        fail('conflict', {
          detail: `There is a prompt called "${name}" already. Choose another name, or save a draft of that one.`,
        });
      const isDraft = publishAs === undefined;
      await unlessTaken({ dialect }, taken, () =>
        at(place)
          .insertInto('prompts')
          .values({
            id,
            project_id: place.projectId,
            database_config_id: place.databaseConfigId,
            name,
            revision: 1,
            draft_id: isDraft ? versionId : null,
            latest_id: isDraft ? null : versionId,
            versions: isDraft ? 0 : 1,
            created_by: by,
            created_at: now,
            updated_at: now,
          })
          .execute(),
      );
      await at(place)
        .insertInto('prompt_versions')
        .values({
          id: versionId,
          prompt_id: id,
          draft_of: isDraft ? id : null,
          major: publishAs?.major ?? null,
          minor: publishAs?.minor ?? null,
          patch: publishAs?.patch ?? null,
          ...columnsOf(content),
          created_by: by,
          created_at: now,
          updated_at: now,
          published_at: isDraft ? null : now,
        })
        .execute();
      await setTags(place, id, content.tags);
      return get(place, id);
    },

    async saveDraft(place, id, { content, revision, by }) {
      const prompt = await row(place, id, revision);
      const now = clock.now();
      const draftId = prompt.draft_id ?? crypto.randomUUID();
      if (prompt.draft_id === null) {
        await at(place)
          .insertInto('prompt_versions')
          .values({
            id: draftId,
            prompt_id: id,
            draft_of: id,
            major: null,
            minor: null,
            patch: null,
            ...columnsOf(content),
            created_by: by,
            created_at: now,
            updated_at: now,
            published_at: null,
          })
          .execute();
      } else {
        await ofDraft(place, id, draftId)
          .set({ ...columnsOf(content), created_by: by, updated_at: now })
          .execute();
      }
      if (prompt.latest_id === null) await setTags(place, id, content.tags);
      await touch(place, id, { revision: prompt.revision + 1, draft_id: draftId });
      return get(place, id);
    },

    async discardDraft(place, id) {
      const prompt = await row(place, id);
      if (prompt.draft_id === null) throw fail('not_found', { what: 'A draft of this prompt' });
      if (prompt.latest_id === null) {
        throw fail('refused', {
          detail:
            'Nothing of this prompt is published, so its draft is all there is. Delete the prompt instead.',
        });
      }
      await at(place)
        .deleteFrom('prompt_versions')
        .where('id', '=', prompt.draft_id)
        .where('draft_of', '=', id)
        .execute();
      await touch(place, id, { revision: prompt.revision + 1, draft_id: null });
      return get(place, id);
    },

    async publish(place, id, { next, revision, by }) {
      const prompt = await row(place, id, revision);
      if (prompt.draft_id === null) {
        throw fail('conflict', {
          detail: 'There is no draft to publish: it was published or thrown away. Save a draft first.',
        });
      }
      if (prompt.versions >= limits.versionsPerPrompt) {
        throw fail('refused', {
          detail: `This prompt has ${limits.versionsPerPrompt} versions, which is the most it may have. Make a new prompt.`,
        });
      }
      const versions = database.selectFrom('prompt_versions').selectAll();
      const newest =
        prompt.latest_id === null
          ? undefined
          : await versions.where('id', '=', prompt.latest_id).executeTakeFirst();
      const now = clock.now();
      await ofDraft(place, id, prompt.draft_id)
        .set({
          ...next(newest === undefined ? undefined : published(newest)),
          draft_of: null,
          created_by: by,
          updated_at: now,
          published_at: now,
        })
        .execute();
      await touch(place, id, {
        revision: prompt.revision + 1,
        draft_id: null,
        latest_id: prompt.draft_id,
        versions: prompt.versions + 1,
      });
      const made = await get(place, id);
      await setTags(place, id, made.tags);
      return made;
    },

    async setLabel(place, id, { label, versionId, by }) {
      await row(place, id);
      const version = await database
        .selectFrom('prompt_versions')
        .select('id')
        .where('id', '=', versionId)
        .where('prompt_id', '=', id)
        .where('draft_of', 'is', null)
        .executeTakeFirst();
      if (version === undefined) throw fail('not_found', { what: 'This published version' });
      const labels = await database
        .selectFrom('prompt_labels')
        .select('label')
        .where('prompt_id', '=', id)
        .execute();
      const others = labels.filter((known) => known.label !== label).length;
      if (others >= limits.labelsPerPrompt) {
        throw fail('refused', {
          detail: `This prompt has ${limits.labelsPerPrompt} labels, which is the most it may have. Take one away first.`,
        });
      }
      const values = { version_id: versionId, updated_by: by, updated_at: clock.now() };
      await at(place)
        .insertInto('prompt_labels')
        .values({ prompt_id: id, label, ...values })
        .onConflict((on) => on.columns(['prompt_id', 'label']).doUpdateSet(values))
        .execute();
      await touch(place, id, {});
      return get(place, id);
    },

    async removeLabel(place, id, label) {
      await row(place, id);
      const result = await at(place)
        .deleteFrom('prompt_labels')
        .where('prompt_id', '=', id)
        .where('label', '=', label)
        .executeTakeFirst();
      if (result.numDeletedRows === 0n) throw fail('not_found', { what: 'This label of the prompt' });
      await touch(place, id, {});
      return get(place, id);
    },

    async setProtectedLabels(place, labels) {
      const { projectId, databaseConfigId } = place;
      await at(place)
        .deleteFrom('prompt_protected_labels')
        .where('project_id', '=', projectId)
        .where('database_config_id', '=', databaseConfigId)
        .execute();
      if (labels.length === 0) return;
      const rows = labels.map((label) => ({
        project_id: projectId,
        database_config_id: databaseConfigId,
        label,
      }));
      await at(place).insertInto('prompt_protected_labels').values(rows).execute();
    },

    async delete(place, id) {
      await row(place, id);
      for (const table of ['prompt_labels', 'prompt_tags', 'prompt_downloads', 'prompt_versions'] as const) {
        await at(place).deleteFrom(table).where('prompt_id', '=', id).execute();
      }
      await at(place).deleteFrom('prompts').where('id', '=', id).execute();
    },
  };
}
