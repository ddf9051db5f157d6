import { fail } from '@candela/kernel';
import { sql, type Selectable } from 'kysely';
import type { JudgeDocumentTable, JudgeItemTable } from '../tables/judging.ts';
import type { Access } from './access.ts';
import { nameKeyOf } from './storage-scope.ts';

/** Where documents of evaluations belong. */
export interface JudgeScope {
  readonly projectId: string;
  readonly environment: string;
}

/** The kinds of documents, and how many a project and environment may have of each. */
const MOST = {
  config: 1,
  evaluator: 200,
  dataset: 500,
  experiment: 5_000,
  queue: 200,
  playground: 1_000,
} as const;
export type JudgeKind = keyof typeof MOST;

/** A document; `body` is JSON that the contract describes. Times are epoch milliseconds. */
export interface JudgeDocument extends JudgeScope {
  readonly id: string;
  readonly kind: JudgeKind;
  readonly name: string;
  readonly body: unknown;
  readonly revision: number;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** An item of a document, as it is at one revision. */
export interface JudgeItem {
  readonly key: string;
  readonly status: string;
  readonly body: unknown;
  readonly position: number;
  readonly since: number;
  readonly updatedAt: number;
}

export type NewJudgeItem = Pick<JudgeItem, 'key' | 'status' | 'body'>;

/** Documents of evaluations with their items. Those of another project or environment are unknown here. */
export interface Judging {
  list(scope: JudgeScope, kind: JudgeKind): Promise<JudgeDocument[]>;
  /** Of all projects: what jobs look through. */
  listAll(kind: JudgeKind): Promise<JudgeDocument[]>;
  find(scope: JudgeScope, kind: JudgeKind, idOrName: string): Promise<JudgeDocument | undefined>;
  /** @throws not_found */
  get(scope: JudgeScope, kind: JudgeKind, idOrName: string): Promise<JudgeDocument>;
  /** @throws conflict (the name is taken), refused (full) */
  create(
    scope: JudgeScope,
    input: {
      readonly kind: JudgeKind;
      readonly name: string;
      readonly body: unknown;
      readonly by: string;
      readonly id?: string;
    },
  ): Promise<JudgeDocument>;
  /** `revision` undefined: whatever it is. @throws not_found, conflict */
  update(
    document: JudgeDocument,
    changes: { readonly name?: string; readonly body: unknown; readonly revision?: number | undefined },
  ): Promise<JudgeDocument>;
  delete(document: JudgeDocument): Promise<void>;
  /** A page of the items that there were at a revision, in order. Undefined revision: now. */
  items(
    documentId: string,
    page: {
      readonly revision?: number | undefined;
      readonly status?: string | undefined;
      readonly after?: number | undefined;
      readonly limit: number;
    },
  ): Promise<JudgeItem[]>;
  item(documentId: string, key: string): Promise<JudgeItem | undefined>;
  counts(documentId: string, revision?: number): Promise<Readonly<Record<string, number>>>;
  /** Adds items, or replaces those with the same key, as of the document's revision `since`. Returns how many. */
  putItems(documentId: string, since: number, items: readonly NewJudgeItem[]): Promise<number>;
  /** Changes the newest state of an item in place: for results and labels, which have no revisions. */
  setItem(
    documentId: string,
    key: string,
    change: Partial<Pick<JudgeItem, 'status' | 'body'>>,
    expectedUpdatedAt?: number,
  ): Promise<boolean>;
}

const MAX_BODY = 1_048_576;
const BATCH = 100;

const toDocument = (row: Selectable<JudgeDocumentTable>): JudgeDocument => ({
  id: row.id,
  // Written by `create` and nobody else.
  kind: row.kind as JudgeKind,
  projectId: row.project_id,
  environment: row.environment,
  name: row.name,
  body: JSON.parse(row.body) as unknown,
  revision: row.revision,
  createdBy: row.created_by,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});

const toItem = (row: Selectable<JudgeItemTable>): JudgeItem => ({
  key: row.item_key,
  status: row.status,
  body: JSON.parse(row.body) as unknown,
  position: Number(row.position),
  since: row.since,
  updatedAt: Number(row.updated_at),
});

function jsonOf(value: unknown): string {
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) <= MAX_BODY) return text;
  throw fail('refused', { detail: 'An item or definition is larger than 1 MiB. Make it smaller.' });
}

const LABELS: Readonly<Record<JudgeKind, string>> = {
  config: 'The configuration of evaluations',
  evaluator: 'The evaluator',
  dataset: 'The dataset',
  experiment: 'The experiment',
  queue: 'The annotation queue',
  playground: 'The run of the playground',
};

export function judging({ quiet, clock }: Access): Judging {
  const of = ({ projectId, environment }: JudgeScope, kind: JudgeKind) =>
    quiet
      .selectFrom('judge_documents')
      .where('project_id', '=', projectId)
      .where('environment', '=', environment)
      .where('kind', '=', kind);

  async function find(scope: JudgeScope, kind: JudgeKind, idOrName: string) {
    const row = await of(scope, kind)
      .selectAll()
      .where(({ eb, or }) => or([eb('id', '=', idOrName), eb('name_key', '=', nameKeyOf(idOrName))]))
      .orderBy('id')
      .executeTakeFirst();
    return row === undefined ? undefined : toDocument(row);
  }

  async function get(scope: JudgeScope, kind: JudgeKind, idOrName: string) {
    const found = await find(scope, kind, idOrName);
    if (found === undefined) throw fail('not_found', { what: LABELS[kind] });
    return found;
  }

  /** Rows of a document as they were at a revision. */
  const at = (documentId: string, revision: number | undefined) => {
    const rows = quiet.selectFrom('judge_items').where('document_id', '=', documentId);
    if (revision === undefined) return rows.where('until', 'is', null);
    return rows
      .where('since', '<=', revision)
      .where(({ eb, or }) => or([eb('until', 'is', null), eb('until', '>', revision)]));
  };

  return {
    find,
    get,

    async list(scope, kind) {
      const rows = await of(scope, kind).selectAll().orderBy('created_at', 'desc').orderBy('id').execute();
      return rows.map(toDocument);
    },

    async listAll(kind) {
      const rows = await quiet.selectFrom('judge_documents').selectAll().where('kind', '=', kind).execute();
      return rows.map(toDocument);
    },

    async create(scope, { kind, name, body, by, id = crypto.randomUUID() }) {
      const { count } = await of(scope, kind)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      if (Number(count) >= MOST[kind]) {
        throw fail('refused', {
          detail: `There are ${MOST[kind]} of this kind, which is the most. Delete some first.`,
        });
      }
      const now = clock.now();
      const row = {
        id,
        kind,
        project_id: scope.projectId,
        environment: scope.environment,
        name,
        name_key: nameKeyOf(name),
        body: jsonOf(body),
        revision: 1,
        created_by: by,
        created_at: now,
        updated_at: now,
      };
      const result = await quiet
        .insertInto('judge_documents')
        .values(row)
        .onConflict((clash) => clash.columns(['project_id', 'environment', 'kind', 'name_key']).doNothing())
        .executeTakeFirst();
      if (result.numInsertedOrUpdatedRows === 0n) {
        throw fail('conflict', { detail: `${LABELS[kind]} "${name}" exists already. Choose another name.` });
      }
      return toDocument(row);
    },

    async update(document, { name = document.name, body, revision }) {
      const expected = revision ?? document.revision;
      const changed = { name, body, revision: expected + 1, updatedAt: clock.now() };
      const result = await quiet
        .updateTable('judge_documents')
        .set({
          name,
          name_key: nameKeyOf(name),
          body: jsonOf(body),
          revision: changed.revision,
          updated_at: changed.updatedAt,
        })
        .where('id', '=', document.id)
        .where('revision', '=', expected)
        .executeTakeFirst();
      if (result.numUpdatedRows === 0n) {
        throw fail('conflict', {
          detail: `${LABELS[document.kind]} was changed meanwhile. Read it again, then change it.`,
        });
      }
      return { ...document, ...changed };
    },

    async delete({ id }) {
      await quiet.deleteFrom('judge_items').where('document_id', '=', id).execute();
      await quiet.deleteFrom('judge_documents').where('id', '=', id).execute();
    },

    async items(documentId, { revision, status, after, limit }) {
      let query = at(documentId, revision).selectAll().orderBy('position').orderBy('item_key').limit(limit);
      if (status !== undefined) query = query.where('status', '=', status);
      if (after !== undefined) query = query.where('position', '>', after);
      return (await query.execute()).map(toItem);
    },

    async item(documentId, key) {
      const row = await at(documentId, undefined).selectAll().where('item_key', '=', key).executeTakeFirst();
      return row === undefined ? undefined : toItem(row);
    },

    async counts(documentId, revision) {
      const rows = await at(documentId, revision)
        .select(['status', ({ fn }) => fn.countAll<number>().as('count')])
        .groupBy('status')
        .execute();
      return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
    },

    async putItems(documentId, since, items) {
      const { last } = await quiet
        .selectFrom('judge_items')
        .select(({ fn }) => fn.max('position').as('last'))
        .where('document_id', '=', documentId)
        .executeTakeFirstOrThrow();
      let position = Number(last ?? 0);
      const now = clock.now();
      for (let from = 0; from < items.length; from += BATCH) {
        const batch = items.slice(from, from + BATCH);
        const keys = batch.map(({ key }) => key);
        const before = await quiet
          .selectFrom('judge_items')
          .select(['item_key', 'position'])
          .where('document_id', '=', documentId)
          .where('until', 'is', null)
          .where('item_key', 'in', keys)
          .execute();
        const positions = new Map(before.map((row) => [row.item_key, Number(row.position)]));
        if (before.length > 0) {
          await quiet
            .updateTable('judge_items')
            .set({ until: since })
            .where('document_id', '=', documentId)
            .where('until', 'is', null)
            .where('since', '<', since)
            .where('item_key', 'in', keys)
            .execute();
        }
        await quiet
          .insertInto('judge_items')
          .values(
            batch.map(({ key, status, body }) => ({
              document_id: documentId,
              item_key: key,
              since,
              until: null,
              position: positions.get(key) ?? ++position,
              status,
              body: jsonOf(body),
              updated_at: now,
            })),
          )
          .onConflict((clash) =>
            clash.columns(['document_id', 'item_key', 'since']).doUpdateSet({
              status: sql`excluded.status`,
              body: sql`excluded.body`,
              updated_at: now,
            }),
          )
          .execute();
      }
      return items.length;
    },

    async setItem(documentId, key, { status, body }, expectedUpdatedAt) {
      let query = quiet
        .updateTable('judge_items')
        .set({
          ...(status === undefined ? {} : { status }),
          ...(body === undefined ? {} : { body: jsonOf(body) }),
          updated_at: clock.now(),
        })
        .where('document_id', '=', documentId)
        .where('item_key', '=', key)
        .where('until', 'is', null);
      if (expectedUpdatedAt !== undefined) query = query.where('updated_at', '=', expectedUpdatedAt);
      return (await query.executeTakeFirst()).numUpdatedRows > 0n;
    },
  };
}
