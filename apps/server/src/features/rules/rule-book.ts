import { ENTITY_TYPES, type EntityType, ruleDefinitionSchema } from '@candela/contract';
import type { Logger } from '@candela/kernel';
import type { MetadataStore, StoragePlace, StoredRule } from '@candela/metadata-store';
import {
  type Fields,
  InvalidRule,
  pathText,
  type Rule,
  type RuleSet,
  ruleSet,
  validate,
} from '@candela/rules';
import { Counter, type Registry } from 'prom-client';
import type { EntityKinds } from './entities/index.ts';

/** A rule that matches, with what it hands out of the kind that was asked for. */
export interface Match {
  readonly ruleId: string;
  readonly entityIds: readonly string[];
}

/** ACTIVE rules, made ready, place by place. */
export interface RuleBook {
  /** Rules that match and are linked to something of the type that is not inactive; by priority, then id. */
  matching(place: StoragePlace, type: EntityType, fields: Fields): Promise<Match[]>;
}

interface Page {
  readonly rules: RuleSet<string>;
  /** What each of them hands out. */
  readonly links: ReadonlyMap<string, ReadonlyMap<EntityType, readonly string[]>>;
}

/** Rules that are held ready, of all places together. Beyond it the places that were not asked longest are let go. */
const MAX_RULES = 50_000;
const MAX_PLACES = 1_000;
/** Broken rules that are remembered, so that each is told once. */
const MAX_TOLD = 1_000;

type Read = { readonly rule: Rule } | { readonly trouble: string };

/** A stored rule by its shape: its values may still be what no operator can use. */
function shapeOf(definition: unknown): Read {
  const parsed = ruleDefinitionSchema.safeParse(definition);
  return parsed.success ? { rule: parsed.data } : { trouble: 'What is stored is no rule. Save it again.' };
}

/** A stored rule that can be used, or what keeps it from that, in a sentence. */
export function troubleOf(definition: unknown): Read {
  const read = shapeOf(definition);
  if ('trouble' in read) return read;
  const [first] = validate(read.rule);
  return first === undefined ? read : { trouble: `${pathText(first.path)}: ${first.message}` };
}

export function createRuleBook(parts: {
  readonly metadata: MetadataStore;
  readonly kinds: EntityKinds;
  readonly logger: Logger;
  readonly registry: Registry;
}): RuleBook {
  const { metadata, kinds, logger } = parts;
  const pages = new Map<string, { readonly page: Promise<Page>; size: number }>();
  metadata.changes.on(['rules', 'rule_links', 'contexts', 'prompts'], () => pages.clear());
  const told = new Set<string>();
  const broken = new Counter({
    name: 'candela_broken_rules_total',
    help: 'Stored rules that could not be used and were passed over, each revision once.',
    registers: [parts.registry],
  });

  function tell({ id, revision }: StoredRule, trouble: string): void {
    const key = `${id} ${revision}`;
    if (told.has(key)) return;
    if (told.size >= MAX_TOLD) told.clear();
    told.add(key);
    broken.inc();
    logger.warn({ rule: id, revision, trouble }, 'a stored rule cannot be used and is passed over');
  }

  async function read(place: StoragePlace): Promise<Page> {
    const inactive = new Map<EntityType, ReadonlySet<string>>();
    for (const type of ENTITY_TYPES) inactive.set(type, await kinds[type].inactive(metadata, place));
    const active = await metadata.rules.active(place);
    try {
      return pageOf(active, inactive, shapeOf);
    } catch (thrown) {
      if (!(thrown instanceof InvalidRule)) throw thrown;
      // Seldom: only then is every rule looked at by itself, which costs as much again.
      return pageOf(active, inactive, troubleOf);
    }
  }

  /** @throws InvalidRule when `readRule` lets one through that cannot be used */
  function pageOf(
    active: readonly StoredRule[],
    inactive: ReadonlyMap<EntityType, ReadonlySet<string>>,
    readRule: (definition: unknown) => Read,
  ): Page {
    const entries: { id: string; rule: Rule }[] = [];
    const handedOut = new Map<string, ReadonlyMap<EntityType, readonly string[]>>();
    for (const stored of active) {
      const found = readRule(stored.definition);
      if ('trouble' in found) {
        tell(stored, found.trouble);
        continue;
      }
      const links = new Map<EntityType, string[]>();
      for (const { entityType, entityId } of stored.links) {
        if (inactive.get(entityType)?.has(entityId) === true) continue;
        const ids = links.get(entityType);
        if (ids === undefined) links.set(entityType, [entityId]);
        else ids.push(entityId);
      }
      // One that hands out nothing is never told.
      if (links.size === 0) continue;
      entries.push({ id: stored.id, rule: found.rule });
      handedOut.set(stored.id, links);
    }
    return { rules: ruleSet(entries), links: handedOut };
  }

  function open(place: StoragePlace): Promise<Page> {
    const key = JSON.stringify([place.projectId, place.databaseConfigId]);
    const known = pages.get(key);
    if (known !== undefined) {
      // Asked last stands last.
      pages.delete(key);
      pages.set(key, known);
      return known.page;
    }
    const entry = { page: read(place), size: 1 };
    pages.set(key, entry);
    entry.page.then(
      ({ rules }) => {
        entry.size = rules.size + 1;
        makeRoom();
      },
      () => {
        if (pages.get(key) === entry) pages.delete(key);
      },
    );
    return entry.page;
  }

  function makeRoom(): void {
    let held = 0;
    for (const { size } of pages.values()) held += size;
    for (const [key, { size }] of pages) {
      if (pages.size <= 1 || (held <= MAX_RULES && pages.size <= MAX_PLACES)) return;
      pages.delete(key);
      held -= size;
    }
  }

  return {
    async matching(place, type, fields) {
      const { rules, links } = await open(place);
      const matches: Match[] = [];
      for (const ruleId of rules.matching(fields)) {
        const entityIds = links.get(ruleId)?.get(type);
        if (entityIds !== undefined) matches.push({ ruleId, entityIds });
      }
      return matches;
    },
  };
}
