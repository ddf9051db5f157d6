import { fail } from '@candela/kernel';
import { type Selectable, sql } from 'kysely';
import type { RuleTable } from '../../tables/rules.ts';
import type { Access } from '../access.ts';
import { holding, type StorageScope } from '../storage-scope.ts';
import { unlessTaken } from '../unless-taken.ts';
import { linkCalls, linksOfRules } from './links.ts';
import { columnsOf, IDS_AT_ONCE, missing, ruled, toRule } from './rows.ts';
import type { Rules, StoredRule } from './types.ts';

export function rules(access: Access): Rules {
  const { database, at, clock, dialect, limits } = access;
  const { of, relink, deleteOf } = linksOfRules(access);
  const unlessNameTaken = <T>(name: string, work: () => Promise<T>): Promise<T> =>
    unlessTaken(
      { dialect },
      () => fail('conflict', { detail: `There is a rule called "${name}" already. Choose another name.` }),
      work,
    );

  const rows = (place: StorageScope) =>
    database
      .selectFrom('rules')
      .selectAll()
      .where('project_id', '=', place.projectId)
      .where('database_config_id', '=', place.databaseConfigId);

  async function withLinks(found: readonly Selectable<RuleTable>[]): Promise<StoredRule[]> {
    const links = await of(found.map(({ id }) => id));
    return found.map((row) => toRule(row, links.get(row.id) ?? []));
  }

  async function get(place: StorageScope, id: string): Promise<StoredRule> {
    const row = await rows(place).where('id', '=', id).executeTakeFirst();
    const [rule] = row === undefined ? [] : await withLinks([row]);
    if (rule === undefined) throw missing();
    return rule;
  }

  /** A row a link, so that no rule comes with the links of another of its revisions. */
  const activeRows = (place: StorageScope) =>
    database
      .selectFrom('rules')
      .leftJoin('rule_links', 'rule_links.rule_id', 'rules.id')
      .selectAll('rules')
      .select([
        'rule_links.id as link_id',
        'rule_links.entity_type',
        'rule_links.entity_id',
        'rule_links.created_by as linked_by',
        'rule_links.created_at as linked_at',
      ])
      .where('rules.project_id', '=', place.projectId)
      .where('rules.database_config_id', '=', place.databaseConfigId)
      .where('rules.status', '=', 'ACTIVE')
      .orderBy('rules.priority')
      .orderBy('rules.id')
      .orderBy('rule_links.entity_type')
      .orderBy('rule_links.entity_id');

  return {
    get,
    ...linkCalls(access, { get, relink }),

    async list(place, { search, status, limit, after }) {
      let query = rows(place)
        .orderBy('priority')
        .orderBy('name_key')
        .orderBy('id')
        .limit(limit + 1);
      if (search !== undefined) {
        query = query.where(sql<boolean>`search_key like ${holding(search)} escape '\\'`);
      }
      if (status !== undefined) query = query.where('status', '=', status);
      if (after !== undefined) {
        query = query.where(({ eb, or, and }) =>
          or([
            eb('priority', '>', after.priority),
            and([eb('priority', '=', after.priority), eb('name_key', '>', after.nameKey)]),
            and([
              eb('priority', '=', after.priority),
              eb('name_key', '=', after.nameKey),
              eb('id', '>', after.id),
            ]),
          ]),
        );
      }
      const found = await query.execute();
      const last = found.length > limit ? found[limit - 1] : undefined;
      return {
        rules: await withLinks(found.slice(0, limit)),
        next:
          last === undefined ? undefined : { priority: last.priority, nameKey: last.name_key, id: last.id },
      };
    },

    async active(place, ids) {
      if (ids === undefined) return ruled(await activeRows(place).execute());
      const found: StoredRule[] = [];
      for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
        const some = ids.slice(from, from + IDS_AT_ONCE);
        found.push(...ruled(await activeRows(place).where('rules.id', 'in', some).execute()));
      }
      return found;
    },

    async activeHeads(place) {
      return database
        .selectFrom('rules')
        .select(['id', 'revision'])
        .where('project_id', '=', place.projectId)
        .where('database_config_id', '=', place.databaseConfigId)
        .where('status', '=', 'ACTIVE')
        .orderBy('priority')
        .orderBy('id')
        .execute();
    },

    async create(place, rule, by) {
      const { count } = await database
        .selectFrom('rules')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('project_id', '=', place.projectId)
        .where('database_config_id', '=', place.databaseConfigId)
        .executeTakeFirstOrThrow();
      if (Number(count) >= limits.rulesPerPlace) {
        throw fail('refused', {
          detail: `There are ${limits.rulesPerPlace} rules here, which is the most there may be. Delete some first.`,
        });
      }
      const now = clock.now();
      const id = crypto.randomUUID();
      await unlessNameTaken(rule.name, () =>
        at(place)
          .insertInto('rules')
          .values({
            id,
            project_id: place.projectId,
            database_config_id: place.databaseConfigId,
            ...columnsOf(rule),
            revision: 1,
            created_by: by,
            created_at: now,
            updated_by: by,
            updated_at: now,
          })
          .execute(),
      );
      await relink(place, id, { links: rule.links, by, before: [] });
      return get(place, id);
    },

    async replace(place, id, { revision: expected, rule, by }) {
      const before = await get(place, id);
      const revision = expected ?? before.revision;
      const result = await unlessNameTaken(rule.name, () =>
        at(place)
          .updateTable('rules')
          .set({
            ...columnsOf(rule),
            revision: revision + 1,
            updated_by: by,
            updated_at: clock.now(),
          })
          .where('id', '=', id)
          .where('revision', '=', revision)
          .executeTakeFirst(),
      );
      if (result.numUpdatedRows === 0n) {
        throw fail('conflict', {
          detail: `Somebody changed this rule meanwhile: it is at revision ${before.revision}. Read it again, then change it.`,
        });
      }
      await relink(place, id, { links: rule.links, by, before: before.links });
      return get(place, id);
    },

    async delete(place, id) {
      const result = await at(place)
        .deleteFrom('rules')
        .where('project_id', '=', place.projectId)
        .where('database_config_id', '=', place.databaseConfigId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (result.numDeletedRows === 0n) throw missing();
      await deleteOf(place, id);
    },
  };
}
