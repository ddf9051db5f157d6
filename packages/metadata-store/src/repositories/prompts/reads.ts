import { sql } from 'kysely';
import type { Access } from '../access.ts';
import { holding, type StorageScope } from '../storage-scope.ts';
import { listOf, missing, numberOf, published, toVersion } from './rows.ts';
import type { Prompts, StoredPromptLabel, StoredPromptSummary } from './types.ts';

type Reads = Pick<
  Prompts,
  'list' | 'get' | 'heads' | 'unpublished' | 'index' | 'version' | 'versions' | 'usage' | 'protectedLabels'
>;

const DAY_MS = 86_400_000;
/** Days of downloads that a list shows, today with them. */
const LAST_DAYS = 7;

/** Ids of one statement. */
const IDS_AT_ONCE = 500;

export function promptReads({ database, clock }: Access): Reads {
  const ofPlace = ({ projectId, databaseConfigId }: StorageScope) =>
    database
      .selectFrom('prompts')
      .where('prompts.project_id', '=', projectId)
      .where('prompts.database_config_id', '=', databaseConfigId);

  /** Rows of prompts with what a list shows of their newest version or draft. */
  const summaries = (place: StorageScope) =>
    ofPlace(place)
      .leftJoin('prompt_versions as shown', (join) =>
        join.on(({ eb, fn }) => eb('shown.id', '=', fn.coalesce('prompts.latest_id', 'prompts.draft_id'))),
      )
      .selectAll('prompts')
      .select(['shown.tags', 'shown.major', 'shown.minor', 'shown.patch', 'shown.published_at']);
  type SummaryRow = Awaited<ReturnType<ReturnType<typeof summaries>['execute']>>[number];

  type Figures = Pick<StoredPromptSummary, 'downloads' | 'lastDays' | 'labels'>;

  const toSummary = (row: SummaryRow, figures: Figures): StoredPromptSummary => {
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
      ...figures,
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

  /** Downloads of the last days, a day each, by prompt. */
  async function lastDaysOf(promptIds: readonly string[]): Promise<(promptId: string) => number[]> {
    const now = clock.now();
    const days = Array.from({ length: LAST_DAYS }, (_, at) =>
      new Date(now - (LAST_DAYS - 1 - at) * DAY_MS).toISOString().slice(0, 10),
    );
    const rows = await database
      .selectFrom('prompt_downloads')
      .select(({ fn, cast }) => [
        'prompt_id',
        'day',
        cast<number>(fn.sum<number>('count'), 'bigint').as('total'),
      ])
      .where('prompt_id', 'in', promptIds)
      .where('day', 'in', days)
      .groupBy(['prompt_id', 'day'])
      .execute();
    const counts = new Map(rows.map((row) => [`${row.prompt_id} ${row.day}`, Number(row.total)]));
    return (promptId) => days.map((day) => counts.get(`${promptId} ${day}`) ?? 0);
  }

  async function labelsOf(promptIds: readonly string[]): Promise<(promptId: string) => StoredPromptLabel[]> {
    const rows = await database
      .selectFrom('prompt_labels')
      .innerJoin('prompt_versions', 'prompt_versions.id', 'prompt_labels.version_id')
      .selectAll('prompt_labels')
      .select(['major', 'minor', 'patch'])
      .where('prompt_labels.prompt_id', 'in', promptIds)
      .orderBy('label')
      .execute();
    const labels = Map.groupBy(rows, (row) => row.prompt_id);
    return (promptId) =>
      (labels.get(promptId) ?? []).map((row) => ({
        label: row.label,
        versionId: row.version_id,
        number: published(row),
        updatedBy: row.updated_by,
        updatedAt: row.updated_at,
      }));
  }

  /** What is told of each of some prompts beside their rows. */
  async function figuresOf(promptIds: readonly string[]): Promise<(promptId: string) => Figures> {
    if (promptIds.length === 0) return () => ({ downloads: 0, lastDays: [], labels: [] });
    const [downloads, lastDays, labels] = await Promise.all([
      downloadsBy('prompt_id', promptIds),
      lastDaysOf(promptIds),
      labelsOf(promptIds),
    ]);
    return (promptId) => ({
      downloads: downloads.get(promptId) ?? 0,
      lastDays: lastDays(promptId),
      labels: labels(promptId),
    });
  }

  return {
    version,

    async protectedLabels({ projectId, databaseConfigId }) {
      const rows = await database
        .selectFrom('prompt_protected_labels')
        .select('label')
        .where('project_id', '=', projectId)
        .where('database_config_id', '=', databaseConfigId)
        .orderBy('label')
        .execute();
      return rows.map(({ label }) => label);
    },

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
      const figures = await figuresOf(page.map(({ id }) => id));
      return {
        prompts: page.map((row) => toSummary(row, figures(row.id))),
        next: rows.length > limit ? page.at(-1)?.name : undefined,
      };
    },

    async get(place, id) {
      const row = await summaries(place).where('prompts.id', '=', id).executeTakeFirst();
      if (row === undefined) throw missing();
      const [figures, draft, latest] = await Promise.all([
        figuresOf([id]),
        row.draft_id === null ? undefined : version(row.draft_id),
        row.latest_id === null ? undefined : version(row.latest_id),
      ]);
      return {
        ...toSummary(row, figures(id)),
        draft: draft ?? null,
        latestVersion: latest ?? null,
      };
    },

    async heads(place, ids) {
      const found: { id: string; name: string; published: boolean }[] = [];
      for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
        const rows = await ofPlace(place)
          .select(['id', 'name', 'latest_id'])
          .where('id', 'in', ids.slice(from, from + IDS_AT_ONCE))
          .execute();
        found.push(...rows.map(({ id, name, latest_id }) => ({ id, name, published: latest_id !== null })));
      }
      return found;
    },

    async unpublished(place) {
      const rows = await ofPlace(place).select('id').where('latest_id', 'is', null).execute();
      return new Set(rows.map(({ id }) => id));
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
        labelsOf([id]),
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
        labels: labels(id)
          .filter((label) => label.versionId === row.id)
          .map(({ label }) => label),
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
