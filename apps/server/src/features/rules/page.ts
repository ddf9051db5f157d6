import { ENTITY_TYPES, type EntityType } from '@candela/contract';
import type { MetadataStore, StorageScope, StoredRule } from '@candela/metadata-store';
import { type PreparedRule, type RuleSet, ruleSet } from '@candela/rules';
import type { EntityKinds } from './entities/index.ts';
import { readyRule } from './stored-rule.ts';

/** The ACTIVE rules of a place, made ready. */
export interface Page {
  readonly rules: RuleSet<string>;
  /** What each of them hands out. */
  readonly links: ReadonlyMap<string, ReadonlyMap<EntityType, readonly string[]>>;
  /** What it was made of: the next one takes over the rules that are still of the same revision. */
  readonly known: ReadonlyMap<string, KnownRule>;
  readonly inactive: Inactive;
}

interface KnownRule {
  readonly revision: number;
  /** Undefined: it cannot be used. */
  readonly rule: PreparedRule | undefined;
  readonly links: StoredRule['links'];
}

type Inactive = ReadonlyMap<EntityType, ReadonlySet<string>>;

interface Parts {
  readonly metadata: MetadataStore;
  readonly kinds: EntityKinds;
  /** Hears of every rule that cannot be used, whenever it is read. */
  readonly tell: (rule: StoredRule, trouble: string) => void;
}

/** Reads the rules of a place: all of them, or with a former page those that changed since. */
export async function readPage(parts: Parts, place: StorageScope, former: Page | undefined): Promise<Page> {
  const { rules } = parts.metadata;
  const inactive = new Map<EntityType, ReadonlySet<string>>();
  for (const type of ENTITY_TYPES)
    inactive.set(type, await parts.kinds[type].inactive(parts.metadata, place));
  if (former === undefined) {
    const stored = await rules.active(place);
    return pageOf(new Map(stored.map((rule) => [rule.id, knownOf(rule, parts.tell)])), inactive);
  }
  const heads = await rules.activeHeads(place);
  const changed = heads.filter(({ id, revision }) => former.known.get(id)?.revision !== revision);
  if (changed.length === 0 && heads.length === former.known.size && sameSets(inactive, former.inactive)) {
    return former;
  }
  const read = new Map<string, KnownRule>();
  for (const rule of await rules.active(
    place,
    changed.map(({ id }) => id),
  )) {
    read.set(rule.id, knownOf(rule, parts.tell));
  }
  const known = new Map<string, KnownRule>();
  for (const { id, revision } of heads) {
    const kept = former.known.get(id);
    // One that is in neither was taken away between both statements.
    const rule = kept?.revision === revision ? kept : read.get(id);
    if (rule !== undefined) known.set(id, rule);
  }
  return pageOf(known, inactive);
}

function knownOf(stored: StoredRule, tell: Parts['tell']): KnownRule {
  const found = readyRule(stored.definition);
  if ('trouble' in found) tell(stored, found.trouble);
  return {
    revision: stored.revision,
    rule: 'trouble' in found ? undefined : found.rule,
    links: stored.links,
  };
}

/** @param known by priority, then id */
function pageOf(known: ReadonlyMap<string, KnownRule>, inactive: Inactive): Page {
  const entries: { id: string; rule: PreparedRule }[] = [];
  const handedOut = new Map<string, ReadonlyMap<EntityType, readonly string[]>>();
  for (const [id, { rule, links }] of known) {
    if (rule === undefined) continue;
    const awake = new Map<EntityType, string[]>();
    for (const { entityType, entityId } of links) {
      if (inactive.get(entityType)?.has(entityId) === true) continue;
      const ids = awake.get(entityType);
      if (ids === undefined) awake.set(entityType, [entityId]);
      else ids.push(entityId);
    }
    // One that hands out nothing is never told.
    if (awake.size === 0) continue;
    entries.push({ id, rule });
    handedOut.set(id, awake);
  }
  return { rules: ruleSet(entries), links: handedOut, known, inactive };
}

/** Everything in it has a set of the same type that holds the same. */
const sameSets = (one: Inactive, other: Inactive): boolean =>
  [...one].every(([type, ids]) => {
    const others = other.get(type);
    return others !== undefined && ids.size === others.size && ids.isSubsetOf(others);
  });
