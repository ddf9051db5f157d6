import { fail } from '@candela/kernel';
import { type Selectable, sql } from 'kysely';
import type { RuleLinkTable, RuleTable } from '../tables/rules.ts';
import type { Access } from './access.ts';
import { holding, nameKeyOf, type StoragePlace } from './storage-place.ts';
import { unlessTaken } from './unless-taken.ts';

/** What a rule can be linked to. */
export type LinkedKind = 'context' | 'prompt' | 'evaluation';
export type ActiveStatus = 'ACTIVE' | 'INACTIVE';

export interface StoredRuleLink {
  readonly id: string;
  readonly ruleId: string;
  readonly entityType: LinkedKind;
  readonly entityId: string;
  readonly createdBy: string;
  readonly createdAt: number;
}

/** A rule as it is kept. Times are epoch milliseconds. */
export interface StoredRule {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** What was saved, read back from JSON and not looked at; undefined: it is no JSON. */
  readonly definition: unknown;
  readonly status: ActiveStatus;
  readonly priority: number;
  readonly revision: number;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly updatedBy: string;
  readonly updatedAt: number;
  /** By kind and id of what is linked. */
  readonly links: readonly StoredRuleLink[];
}

/** A rule as it is saved: whole. */
export interface RuleDocument {
  readonly name: string;
  readonly description: string;
  readonly definition: object;
  readonly status: ActiveStatus;
  readonly priority: number;
  readonly links: readonly Pick<StoredRuleLink, 'entityType' | 'entityId'>[];
}

/** Where a list goes on: the last rule of the page before. */
export interface RulePlace {
  readonly priority: number;
  readonly nameKey: string;
  readonly id: string;
}

/** Rules of one place at a time; another place's id is unknown here. Reads come with their links. */
export interface Rules {
  /** By priority, then name; at most `limit`, after a place. */
  list(
    place: StoragePlace,
    input: {
      readonly search: string | undefined;
      readonly status: ActiveStatus | undefined;
      readonly limit: number;
      readonly after: RulePlace | undefined;
    },
  ): Promise<{ rules: StoredRule[]; next: RulePlace | undefined }>;
  /** All that are ACTIVE, by priority, then id. */
  active(place: StoragePlace): Promise<StoredRule[]>;
  /** @throws not_found */
  get(place: StoragePlace, id: string): Promise<StoredRule>;
  /** @throws conflict when the name is taken, refused when the place has its fill */
  create(place: StoragePlace, rule: RuleDocument, by: string): Promise<StoredRule>;
  /** `revision` undefined: whatever is there now. @throws not_found, conflict (name taken, another revision by now) */
  replace(
    place: StoragePlace,
    id: string,
    input: { readonly revision: number | undefined; readonly rule: RuleDocument; readonly by: string },
  ): Promise<StoredRule>;
  /** @throws not_found */
  delete(place: StoragePlace, id: string): Promise<void>;
  /** Links of the place by their id, at most `limit`, after an id. */
  links(
    place: StoragePlace,
    input: {
      readonly ruleId: string | undefined;
      readonly entityType: LinkedKind | undefined;
      readonly entityId: string | undefined;
      readonly limit: number;
      readonly after: string | undefined;
    },
  ): Promise<{ links: StoredRuleLink[]; next: string | undefined }>;
  /** @throws not_found, conflict when there is such a link, refused when the rule has its fill */
  link(
    place: StoragePlace,
    ruleId: string,
    link: Pick<StoredRuleLink, 'entityType' | 'entityId'>,
    by: string,
  ): Promise<StoredRuleLink>;
  /** What it was. @throws not_found */
  unlink(place: StoragePlace, id: string, by: string): Promise<StoredRuleLink>;
  /** Rules that are linked to something, by priority, then name, at most `limit`. */
  linkedTo(
    place: StoragePlace,
    entity: Pick<StoredRuleLink, 'entityType' | 'entityId'>,
    limit: number,
  ): Promise<Pick<StoredRule, 'id' | 'name' | 'status' | 'priority'>[]>;
}

const missing = () => fail('not_found', { what: 'The rule' });
const statusOf = (text: string): ActiveStatus => (text === 'ACTIVE' ? 'ACTIVE' : 'INACTIVE');

function definitionOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const toLink = (row: Selectable<RuleLinkTable>): StoredRuleLink => ({
  id: row.id,
  ruleId: row.rule_id,
  entityType: row.entity_type as LinkedKind,
  entityId: row.entity_id,
  createdBy: row.created_by,
  createdAt: Number(row.created_at),
});

const toRule = (row: Selectable<RuleTable>, links: readonly StoredRuleLink[]): StoredRule => ({
  id: row.id,
  name: row.name,
  description: row.description,
  definition: definitionOf(row.definition),
  status: statusOf(row.status),
  priority: row.priority,
  revision: row.revision,
  createdBy: row.created_by,
  createdAt: Number(row.created_at),
  updatedBy: row.updated_by,
  updatedAt: Number(row.updated_at),
  links,
});

const columnsOf = ({ name, description, definition, status, priority }: RuleDocument) => ({
  name,
  name_key: nameKeyOf(name),
  description,
  search_key: nameKeyOf(`${name}\n${description}`),
  definition: JSON.stringify(definition),
  status,
  priority,
});

/** Ids of one statement: SQLite takes 32,766 values, PostgreSQL 65,535. */
const IDS_AT_ONCE = 500;

export function rules({ database, clock, dialect, limits }: Access): Rules {
  const unlessNameTaken = <T>(name: string, work: () => Promise<T>): Promise<T> =>
    unlessTaken(
      { dialect },
      () => fail('conflict', { detail: `There is a rule called "${name}" already. Choose another name.` }),
      work,
    );

  const rows = (place: StoragePlace) =>
    database
      .selectFrom('rules')
      .selectAll()
      .where('project_id', '=', place.projectId)
      .where('database_config_id', '=', place.databaseConfigId);

  async function withLinks(found: readonly Selectable<RuleTable>[]): Promise<StoredRule[]> {
    const links = new Map<string, StoredRuleLink[]>(found.map(({ id }) => [id, []]));
    const ids = [...links.keys()];
    for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
      const linked = await database
        .selectFrom('rule_links')
        .selectAll()
        .where('rule_id', 'in', ids.slice(from, from + IDS_AT_ONCE))
        .orderBy('entity_type')
        .orderBy('entity_id')
        .execute();
      for (const row of linked) links.get(row.rule_id)?.push(toLink(row));
    }
    return found.map((row) => toRule(row, links.get(row.id) ?? []));
  }

  async function get(place: StoragePlace, id: string): Promise<StoredRule> {
    const row = await rows(place).where('id', '=', id).executeTakeFirst();
    const [rule] = row === undefined ? [] : await withLinks([row]);
    if (rule === undefined) throw missing();
    return rule;
  }

  /** Links that stay keep who made them and when. */
  async function relink(
    place: StoragePlace,
    ruleId: string,
    { links, by, before }: Pick<RuleDocument, 'links'> & { by: string; before: readonly StoredRuleLink[] },
  ): Promise<void> {
    const keyOf = ({ entityType, entityId }: Pick<StoredRuleLink, 'entityType' | 'entityId'>) =>
      JSON.stringify([entityType, entityId]);
    const wanted = new Map(links.map((link) => [keyOf(link), link]));
    const gone = before.filter((link) => !wanted.has(keyOf(link)));
    if (gone.length > 0) {
      const ids = gone.map(({ id }) => id);
      await database.deleteFrom('rule_links').where('id', 'in', ids).execute();
    }
    for (const link of before) wanted.delete(keyOf(link));
    if (wanted.size === 0) return;
    const made = [...wanted.values()].map(({ entityType, entityId }) => ({
      id: crypto.randomUUID(),
      rule_id: ruleId,
      project_id: place.projectId,
      database_config_id: place.databaseConfigId,
      entity_type: entityType,
      entity_id: entityId,
      created_by: by,
      created_at: clock.now(),
    }));
    await database.insertInto('rule_links').values(made).execute();
  }

  /** Links are part of the rule: who has read it before they changed may not replace it. */
  async function touch(id: string, by: string): Promise<void> {
    await database
      .updateTable('rules')
      .set(({ eb }) => ({ revision: eb('revision', '+', 1), updated_by: by, updated_at: clock.now() }))
      .where('id', '=', id)
      .execute();
  }

  return {
    get,

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

    async active(place) {
      // One statement, so that no rule comes with the links of another of its revisions.
      const found = await database
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
        .orderBy('rule_links.entity_id')
        .execute();
      const active = new Map<string, { row: Selectable<RuleTable>; links: StoredRuleLink[] }>();
      for (const row of found) {
        const rule = active.get(row.id) ?? { row, links: [] };
        active.set(row.id, rule);
        if (row.link_id === null || row.entity_type === null || row.entity_id === null) continue;
        rule.links.push({
          id: row.link_id,
          ruleId: row.id,
          entityType: row.entity_type as LinkedKind,
          entityId: row.entity_id,
          createdBy: row.linked_by ?? '',
          createdAt: Number(row.linked_at),
        });
      }
      return [...active.values()].map(({ row, links }) => toRule(row, links));
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
        database
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
        database
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
      const result = await database
        .deleteFrom('rules')
        .where('project_id', '=', place.projectId)
        .where('database_config_id', '=', place.databaseConfigId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (result.numDeletedRows === 0n) throw missing();
      await database.deleteFrom('rule_links').where('rule_id', '=', id).execute();
    },

    async links(place, { ruleId, entityType, entityId, limit, after }) {
      let query = database
        .selectFrom('rule_links')
        .selectAll()
        .where('project_id', '=', place.projectId)
        .where('database_config_id', '=', place.databaseConfigId)
        .orderBy('id')
        .limit(limit + 1);
      if (ruleId !== undefined) query = query.where('rule_id', '=', ruleId);
      if (entityType !== undefined) query = query.where('entity_type', '=', entityType);
      if (entityId !== undefined) query = query.where('entity_id', '=', entityId);
      if (after !== undefined) query = query.where('id', '>', after);
      const found = await query.execute();
      return {
        links: found.slice(0, limit).map(toLink),
        next: found.length > limit ? found[limit - 1]?.id : undefined,
      };
    },

    async link(place, ruleId, link, by) {
      const rule = await get(place, ruleId);
      if (rule.links.length >= limits.linksPerRule) {
        throw fail('refused', {
          detail: `The rule has ${limits.linksPerRule} links, which is the most it may have. Take one away first.`,
        });
      }
      const same = ({ entityType, entityId }: StoredRuleLink) =>
        entityType === link.entityType && entityId === link.entityId;
      if (rule.links.some(same)) throw fail('conflict', { detail: 'The rule has this link already.' });
      await relink(place, ruleId, { links: [...rule.links, link], by, before: rule.links });
      await touch(ruleId, by);
      const made = (await get(place, ruleId)).links.find(same);
      if (made === undefined) throw missing();
      return made;
    },

    async unlink(place, id, by) {
      const row = await database
        .selectFrom('rule_links')
        .selectAll()
        .where('project_id', '=', place.projectId)
        .where('database_config_id', '=', place.databaseConfigId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (row === undefined) throw fail('not_found', { what: 'The link' });
      await database.deleteFrom('rule_links').where('id', '=', id).execute();
      await touch(row.rule_id, by);
      return toLink(row);
    },

    async linkedTo(place, { entityType, entityId }, limit) {
      const found = await database
        .selectFrom('rule_links')
        .innerJoin('rules', 'rules.id', 'rule_links.rule_id')
        .select(['rules.id', 'rules.name', 'rules.status', 'rules.priority'])
        .where('rule_links.project_id', '=', place.projectId)
        .where('rule_links.database_config_id', '=', place.databaseConfigId)
        .where('rule_links.entity_type', '=', entityType)
        .where('rule_links.entity_id', '=', entityId)
        .orderBy('rules.priority')
        .orderBy('rules.name_key')
        .limit(limit)
        .execute();
      return found.map((row) => ({ ...row, status: statusOf(row.status) }));
    },
  };
}
