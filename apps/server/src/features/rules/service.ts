import type { BodyOf, Rule as RuleView, RuleLink, ROUTES } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import type {
  Call,
  MetadataStore,
  Repositories,
  RuleDocument,
  StorageScope,
  StoredRule,
  StoredRuleLink,
} from '@candela/metadata-store';
import { pathText, prepare, type Rule, validate } from '@candela/rules';
import { actorName, type AuditEntry, record } from '../audit/service.ts';
import type { EntityKinds } from './entities/index.ts';
import { troubleOf } from './stored-rule.ts';

type Link = Pick<StoredRuleLink, 'entityType' | 'entityId'>;
type RuleBody = BodyOf<typeof ROUTES.createRule>;

/** Troubles of a rule that are told at once. */
const MAX_TROUBLES = 5;

const iso = (ms: number): string => new Date(ms).toISOString();
const keyOf = ({ entityType, entityId }: Link): string => JSON.stringify([entityType, entityId]);
const entry = (
  verb: 'create' | 'update' | 'delete' | 'link' | 'unlink',
  id: string,
  details: NonNullable<AuditEntry['details']>,
): AuditEntry => ({ action: `rule.${verb}`, objectKind: 'rule', objectId: id, details });

/** @throws refused with what is wrong and where */
export function requireValid(rule: Rule): void {
  const troubles = validate(rule);
  if (troubles.length === 0) return;
  const sentences = troubles
    .slice(0, MAX_TROUBLES)
    .map(({ path, message }) => `${pathText(path)}: ${message}`);
  throw fail('refused', { detail: sentences.join(' ') });
}

/** Rules of a project and database configuration: what people see and change of them. */
export function createRules({ metadata, kinds }: { metadata: MetadataStore; kinds: EntityKinds }) {
  /** What is behind links, by kind and id. */
  async function lookAt(repositories: Repositories, place: StorageScope, links: readonly Link[]) {
    const found = new Map<string, { readonly name: string; readonly active: boolean }>();
    for (const kind of Object.values(kinds)) {
      const ids = new Set(
        links.filter(({ entityType }) => entityType === kind.type).map((one) => one.entityId),
      );
      if (ids.size === 0) continue;
      for (const [entityId, seen] of await kind.look(repositories, place, [...ids])) {
        found.set(keyOf({ entityType: kind.type, entityId }), seen);
      }
    }
    return found;
  }
  type Seen = Awaited<ReturnType<typeof lookAt>>;

  const showLink = (link: StoredRuleLink, seen: Seen): RuleLink => {
    const behind = seen.get(keyOf(link));
    return {
      ...link,
      createdAt: iso(link.createdAt),
      name: behind?.name ?? null,
      state: behind === undefined ? 'vanished' : behind.active ? 'active' : 'inactive',
    };
  };

  function showRule({ definition, links, ...rest }: StoredRule, seen: Seen): RuleView {
    const found = troubleOf(definition);
    const rule = 'rule' in found ? found.rule : { groupOperator: 'AND' as const, groups: [] };
    return {
      ...rest,
      groupOperator: rule.groupOperator,
      groups: rule.groups.map(({ operator, conditions }) => ({ operator, conditions: [...conditions] })),
      links: links.map((link) => showLink(link, seen)),
      problem: 'trouble' in found ? found.trouble : null,
      createdAt: iso(rest.createdAt),
      updatedAt: iso(rest.updatedAt),
    };
  }

  async function show(
    repositories: Repositories,
    place: StorageScope,
    rules: readonly StoredRule[],
  ): Promise<RuleView[]> {
    const seen = await lookAt(
      repositories,
      place,
      rules.flatMap(({ links }) => links),
    );
    return rules.map((rule) => showRule(rule, seen));
  }

  async function showOne(
    repositories: Repositories,
    place: StorageScope,
    rule: StoredRule,
  ): Promise<RuleView> {
    return showRule(rule, await lookAt(repositories, place, rule.links));
  }

  /** New links must lead somewhere; those that were there may have lost what was behind them. @throws refused */
  async function requireEntities(
    repositories: Repositories,
    place: StorageScope,
    links: readonly Link[],
  ): Promise<void> {
    const seen = await lookAt(repositories, place, links);
    const lost = links.find((link) => !seen.has(keyOf(link)));
    if (lost === undefined) return;
    throw fail('refused', {
      detail: `There is no ${kinds[lost.entityType].label} with the id "${lost.entityId}". Link the rule to one that exists.`,
    });
  }

  const documentOf = ({
    name,
    description,
    groupOperator,
    groups,
    status,
    priority,
    links,
  }: RuleBody): RuleDocument => {
    requireValid({ groupOperator, groups });
    const unique = new Map(links.map((link) => [keyOf(link), link]));
    return {
      name,
      description,
      definition: { groupOperator, groups },
      status,
      priority,
      links: [...unique.values()],
    };
  };

  const detailsOf = ({ name, status, priority, links }: RuleDocument) => ({
    name,
    status,
    priority,
    links: links.map(({ entityType, entityId }) => `${entityType}:${entityId}`),
  });

  return {
    async list(context: RequestContext, input: Parameters<MetadataStore['rules']['list']>[1]) {
      const { rules, next } = await metadata.rules.list(context, input);
      return { rules: await show(metadata, context, rules), next };
    },

    get: async (context: RequestContext, id: string): Promise<RuleView> =>
      showOne(metadata, context, await metadata.rules.get(context, id)),

    /** What decides, of a saved rule. @throws not_found, refused when what is stored cannot be used */
    async definition(context: RequestContext, id: string): Promise<Rule> {
      const found = troubleOf((await metadata.rules.get(context, id)).definition);
      if ('trouble' in found) throw fail('refused', { detail: found.trouble });
      return found.rule;
    },

    create(context: RequestContext, body: RuleBody, call: Call | undefined): Promise<RuleView> {
      const rule = documentOf(body);
      return metadata.change(call, async (repositories) => {
        await requireEntities(repositories, context, rule.links);
        const made = await repositories.rules.create(context, rule, actorName(context));
        await record(repositories, context, entry('create', made.id, detailsOf(rule)));
        return showOne(repositories, context, made);
      });
    },

    replace(
      context: RequestContext,
      id: string,
      { revision, ...body }: RuleBody & { readonly revision?: number | undefined },
      call: Call | undefined,
    ): Promise<RuleView> {
      return metadata.change(call, async (repositories) => {
        // First whether there is one: what is wrong with the body is nobody's business elsewhere.
        const before = await repositories.rules.get(context, id);
        const rule = documentOf(body);
        const had = new Set(before.links.map(keyOf));
        const added = rule.links.filter((link) => !had.has(keyOf(link)));
        await requireEntities(repositories, context, added);
        const input = { revision, rule, by: actorName(context) };
        const changed = await repositories.rules.replace(context, id, input);
        await record(repositories, context, entry('update', id, detailsOf(rule)));
        return showOne(repositories, context, changed);
      });
    },

    delete(context: RequestContext, id: string, call: Call | undefined): Promise<{ id: string }> {
      return metadata.change(call, async (repositories) => {
        const { name } = await repositories.rules.get(context, id);
        await repositories.rules.delete(context, id);
        await record(repositories, context, entry('delete', id, { name }));
        return { id };
      });
    },

    async links(context: RequestContext, input: Parameters<MetadataStore['rules']['links']>[1]) {
      const { links, next } = await metadata.rules.links(context, input);
      const seen = await lookAt(metadata, context, links);
      return { links: links.map((link) => showLink(link, seen)), next };
    },

    link(
      context: RequestContext,
      { ruleId, ...link }: Link & { readonly ruleId: string },
      call: Call | undefined,
    ): Promise<RuleLink> {
      return metadata.change(call, async (repositories) => {
        const { name } = await repositories.rules.get(context, ruleId);
        await requireEntities(repositories, context, [link]);
        const made = await repositories.rules.link(context, ruleId, link, actorName(context));
        await record(repositories, context, entry('link', ruleId, { name, ...link }));
        return showLink(made, await lookAt(repositories, context, [made]));
      });
    },

    unlink(context: RequestContext, id: string, call: Call | undefined): Promise<{ id: string }> {
      return metadata.change(call, async (repositories) => {
        const { ruleId, entityType, entityId } = await repositories.rules.unlink(
          context,
          id,
          actorName(context),
        );
        await record(repositories, context, entry('unlink', ruleId, { entityType, entityId }));
        return { id };
      });
    },
  };
}

/** Why a rule that can be used says what it says. */
export function explanationOf(rule: Rule, fields: Parameters<ReturnType<typeof prepare>['explain']>[0]) {
  return prepare(rule).explain(fields);
}
