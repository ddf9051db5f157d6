import { fail } from '@candela/kernel';
import type { Access } from '../access.ts';
import type { StorageScope } from '../storage-scope.ts';
import { IDS_AT_ONCE, missing, statusOf, toLink } from './rows.ts';
import type { RuleDocument, Rules, StoredRuleLink } from './types.ts';

/** The links of rules, as their rules are read and written. */
export function linksOfRules({ database, at, clock }: Pick<Access, 'database' | 'at' | 'clock'>) {
  return {
    /** By kind and id of what is linked; of a rule without any there is nothing. */
    async of(ruleIds: readonly string[]): Promise<ReadonlyMap<string, readonly StoredRuleLink[]>> {
      const links = new Map<string, StoredRuleLink[]>();
      for (let from = 0; from < ruleIds.length; from += IDS_AT_ONCE) {
        const linked = await database
          .selectFrom('rule_links')
          .selectAll()
          .where('rule_id', 'in', ruleIds.slice(from, from + IDS_AT_ONCE))
          .orderBy('entity_type')
          .orderBy('entity_id')
          .execute();
        for (const row of linked) {
          const known = links.get(row.rule_id);
          if (known === undefined) links.set(row.rule_id, [toLink(row)]);
          else known.push(toLink(row));
        }
      }
      return links;
    },

    /** Links that stay keep who made them and when. */
    async relink(
      place: StorageScope,
      ruleId: string,
      { links, by, before }: Pick<RuleDocument, 'links'> & { by: string; before: readonly StoredRuleLink[] },
    ): Promise<void> {
      const keyOf = ({ entityType, entityId }: Pick<StoredRuleLink, 'entityType' | 'entityId'>) =>
        JSON.stringify([entityType, entityId]);
      const wanted = new Map(links.map((link) => [keyOf(link), link]));
      const gone = before.filter((link) => !wanted.has(keyOf(link)));
      if (gone.length > 0) {
        const ids = gone.map(({ id }) => id);
        await at(place).deleteFrom('rule_links').where('id', 'in', ids).execute();
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
      await at(place).insertInto('rule_links').values(made).execute();
    },

    async deleteOf(place: StorageScope, ruleId: string): Promise<void> {
      await at(place).deleteFrom('rule_links').where('rule_id', '=', ruleId).execute();
    },
  };
}

/** Calls on links by themselves. */
export function linkCalls(
  { database, at, clock, limits }: Access,
  { get, relink }: Pick<Rules, 'get'> & Pick<ReturnType<typeof linksOfRules>, 'relink'>,
): Pick<Rules, 'links' | 'link' | 'unlink' | 'linkedTo'> {
  /** Links are part of the rule: who has read it before they changed may not replace it. */
  async function touch(place: StorageScope, id: string, by: string): Promise<void> {
    await at(place)
      .updateTable('rules')
      .set(({ eb }) => ({ revision: eb('revision', '+', 1), updated_by: by, updated_at: clock.now() }))
      .where('id', '=', id)
      .execute();
  }

  return {
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
      await touch(place, ruleId, by);
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
      await at(place).deleteFrom('rule_links').where('id', '=', id).execute();
      await touch(place, row.rule_id, by);
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
