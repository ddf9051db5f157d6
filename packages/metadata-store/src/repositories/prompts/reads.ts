import { sql } from 'kysely';
import type { Access } from '../access.ts';
import { holding, type StoragePlace } from '../storage-place.ts';
import { listOf, missing, numberOf, published, toVersion } from './rows.ts';
import type { Prompts, StoredPromptSummary } from './types.ts';

type Reads = Pick<Prompts, 'list' | 'get' | 'index' | 'version' | 'versions' | 'usage'>;

export function promptReads({ database }: Access): Reads {
  const ofPlace = ({ projectId, databaseConfigId }: StoragePlace) =>
    database
      .selectFrom('prompts')
      .where('prompts.project_id', '=', projectId)
      .where('prompts.database_config_id', '=', databaseConfigId);

  /** Rows of prompts with what a list shows of their newest version or draft. */
  const summaries = (place: StoragePlace) =>
    ofPlace(place)
      .leftJoin('prompt_versions as shown', (join) =>
        join.on(({ eb, fn }) => eb('shown.id', '=', fn.coalesce('prompts.latest_id', 'prompts.draft_id'))),
      )
      .selectAll('prompts')
      .select(['shown.tags', 'shown.major', 'shown.minor', 'shown.patch', 'shown.published_at']);
  type SummaryRow = Awaited<ReturnType<ReturnType<typeof summaries>['execute']>>[number];

  const toSummary = (row: SummaryRow, downloads: number): StoredPromptSummary => {
    const number = numberOf(row);
    return {
      id: row.id,
      name: row.name,
      revision: row.revision,
      draftId: row.draft_id,
      latest:
        row.latest_id === null || number === null
          ? null
          : { id: row.latest_id, number, publishedAt: row.published_at ?? 0 },
      tags: row.tags === null ? [] : listOf(row.tags),
      versions: row.versions,
      downloads,
      createdBy: row.created_by,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    };
  };

  /** Sums of downloads by prompt, or by version of one prompt. */
  async function downloadsBy(
    column: 'prompt_id' | 'version_id',
    promptIds: readonly string[],
  ): Promise<ReadonlyMap<string, number>> {
    if (promptIds.length === 0) return new Map();
    const rows = await database
      .selectFrom('prompt_downloads')
      .select(({ fn, cast }) => [column, cast<number>(fn.sum<number>('count'), 'bigint').as('total')])
      .where('prompt_id', 'in', promptIds)
      .groupBy(column)
      .execute();
    return new Map(rows.map((row) => [row[column], Number(row.total)]));
  }

  const version: Prompts['version'] = async (id) => {
    const row = await database
      .selectFrom('prompt_versions')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row === undefined ? undefined : toVersion(row);
  };

  const labelsOf = (promptId: string) =>
    database
      .selectFrom('prompt_labels')
      .innerJoin('prompt_versions', 'prompt_versions.id', 'prompt_labels.version_id')
      .selectAll('prompt_labels')
      .select(['major', 'minor', 'patch'])
      .where('prompt_labels.prompt_id', '=', promptId)
      .orderBy('label')
      .execute();

  return {
    version,

    async list(place, { search, tag, limit, after }) {
      let query = summaries(place)
        .orderBy('prompts.name')
        .limit(limit + 1);
      if (search !== undefined && search !== '') {
        query = query.where(sql<boolean>`prompts.name like ${holding(search)} escape '\\'`);
      }
      if (tag !== undefined) {
        query = query.where(({ exists, selectFrom }) =>
          exists(
            selectFrom('prompt_tags')
              .select('prompt_tags.tag')
              .whereRef('prompt_tags.prompt_id', '=', 'prompts.id')
              .where('prompt_tags.tag', '=', tag),
          ),
        );
      }
      if (after !== undefined) query = query.where('prompts.name', '>', after);
      const rows = await query.execute();
      const page = rows.slice(0, limit);
      const downloads = await downloadsBy(
        'prompt_id',
        page.map(({ id }) => id),
      );
      return {
        prompts: page.map((row) => toSummary(row, downloads.get(row.id) ?? 0)),
        next: rows.length > limit ? page.at(-1)?.name : undefined,
      };
    },

    async get(place, id) {
      const row = await summaries(place).where('prompts.id', '=', id).executeTakeFirst();
      if (row === undefined) throw missing();
      const [downloads, labels, draft, latest] = await Promise.all([
        downloadsBy('prompt_id', [id]),
        labelsOf(id),
        row.draft_id === null ? undefined : version(row.draft_id),
        row.latest_id === null ? undefined : version(row.latest_id),
      ]);
      return {
        ...toSummary(row, downloads.get(id) ?? 0),
        draft: draft ?? null,
        latestVersion: latest ?? null,
        labels: labels.map((label) => ({
          label: label.label,
          versionId: label.version_id,
          number: published(label),
          updatedBy: label.updated_by,
          updatedAt: label.updated_at,
        })),
      };
    },

    async index(place, { id, name }) {
      let query = ofPlace(place).select([
        'prompts.id',
        'prompts.name',
        'prompts.draft_id',
        'prompts.created_by',
        'prompts.created_at',
        'prompts.updated_at',
      ]);
      if (id !== undefined) query = query.where('prompts.id', '=', id);
      if (name !== undefined) query = query.where('prompts.name', '=', name);
      const prompt = await query.executeTakeFirst();
      if (prompt === undefined) return undefined;
      const [versions, labels] = await Promise.all([
        database
          .selectFrom('prompt_versions')
          .select(['id', 'major', 'minor', 'patch'])
          .where('prompt_id', '=', prompt.id)
          .where('draft_of', 'is', null)
          .orderBy('major', 'desc')
          .orderBy('minor', 'desc')
          .orderBy('patch', 'desc')
          .execute(),
        database
          .selectFrom('prompt_labels')
          .select(['label', 'version_id'])
          .where('prompt_id', '=', prompt.id)
          .execute(),
      ]);
      return {
        id: prompt.id,
        name: prompt.name,
        draftId: prompt.draft_id,
        createdBy: prompt.created_by,
        createdAt: prompt.created_at,
        updatedAt: prompt.updated_at,
        versions: versions.map((row) => ({ id: row.id, ...published(row) })),
        labels: new Map(labels.map((row) => [row.label, row.version_id])),
      };
    },

    async versions(place, id, { limit, after }) {
      const prompt = await ofPlace(place)
        .select('prompts.id')
        .where('prompts.id', '=', id)
        .executeTakeFirst();
      if (prompt === undefined) throw missing();
      let query = database
        .selectFrom('prompt_versions')
        .select([
          'id',
          'prompt_id',
          'major',
          'minor',
          'patch',
          'tags',
          'created_by',
          'created_at',
          'updated_at',
          'published_at',
        ])
        .where('prompt_id', '=', id)
        .where('draft_of', 'is', null)
        .orderBy('major', 'desc')
        .orderBy('minor', 'desc')
        .orderBy('patch', 'desc')
        .limit(limit + 1);
      if (after !== undefined) {
        query = query.where(({ eb, or, and }) =>
          or([
            eb('major', '<', after.major),
            and([eb('major', '=', after.major), eb('minor', '<', after.minor)]),
            and([
              eb('major', '=', after.major),
              eb('minor', '=', after.minor),
              eb('patch', '<', after.patch),
            ]),
          ]),
        );
      }
      const [rows, labels, downloads] = await Promise.all([
        query.execute(),
        labelsOf(id),
        downloadsBy('version_id', [id]),
      ]);
      const page = rows.slice(0, limit).map((row) => ({
        id: row.id,
        promptId: row.prompt_id,
        number: published(row),
        tags: listOf(row.tags),
        createdBy: row.created_by,
        createdAt: row.created_at,
        updatedAt: row.updated_at,
        publishedAt: row.published_at,
        labels: labels.filter((label) => label.version_id === row.id).map(({ label }) => label),
        downloads: downloads.get(row.id) ?? 0,
      }));
      return { versions: page, next: rows.length > limit ? page.at(-1)?.number : undefined };
    },

    async usage(place, id, { from, to, limit }) {
      const prompt = await ofPlace(place)
        .select('prompts.id')
        .where('prompts.id', '=', id)
        .executeTakeFirst();
      if (prompt === undefined) throw missing();
      const counted = database
        .selectFrom('prompt_downloads')
        .innerJoin('prompt_versions', 'prompt_versions.id', 'prompt_downloads.version_id')
        .where('prompt_downloads.prompt_id', '=', id)
        .where('prompt_downloads.day', '>=', from)
        .where('prompt_downloads.day', '<=', to);
      const [rows, sums] = await Promise.all([
        counted
          .select(['day', 'source', 'count', 'major', 'minor', 'patch'])
          .orderBy('day', 'desc')
          .orderBy('count', 'desc')
          .orderBy('major', 'desc')
          .orderBy('minor', 'desc')
          .orderBy('patch', 'desc')
          .orderBy('source')
          .limit(limit + 1)
          .execute(),
        counted
          .select(({ fn, cast }) => cast<number>(fn.sum<number>('count'), 'bigint').as('total'))
          .executeTakeFirst(),
      ]);
      return {
        rows: rows.slice(0, limit).map((row) => ({
          day: row.day,
          number: published(row),
          source: row.source,
          count: row.count,
        })),
        total: Number(sums?.total ?? 0),
        truncated: rows.length > limit,
      };
    },
  };
}
