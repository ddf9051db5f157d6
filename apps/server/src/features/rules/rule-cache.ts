import type { EntityType } from '@candela/contract';
import type { Logger } from '@candela/kernel';
import type { MetadataStore, StorageScope, StoredRule } from '@candela/metadata-store';
import type { Fields } from '@candela/rules';
import { Counter, type Registry } from 'prom-client';
import type { EntityKinds } from './entities/index.ts';
import { type Page, readPage } from './page.ts';
import { ScopeCache } from './scope-cache.ts';

/** A rule that matches, with what it hands out of the kind that was asked for. */
export interface Match {
  readonly ruleId: string;
  readonly entityIds: readonly string[];
}

/** ACTIVE rules, made ready, place by place. */
export interface RuleCache {
  /** Rules that match and are linked to something of the type that is not inactive; by priority, then id. */
  matching(place: StorageScope, type: EntityType, fields: Fields): Promise<Match[]>;
}

/** Rules that are held ready, of all places together. */
const MAX_RULES = 50_000;
const MAX_PLACES = 1_000;
/** Broken rules that are remembered, so that each is told once. */
const MAX_TOLD = 1_000;

export function createRuleCache(parts: {
  readonly metadata: MetadataStore;
  readonly kinds: EntityKinds;
  readonly logger: Logger;
  readonly registry: Registry;
}): RuleCache {
  const { metadata, kinds } = parts;
  const tell = tellOnce(parts);
  const pages = new ScopeCache<Page>(
    (place, former) => readPage({ metadata, kinds, tell }, place, former),
    ({ known }) => known.size,
    { size: MAX_RULES, places: MAX_PLACES },
  );
  metadata.changes.on(['rules', 'rule_links', 'contexts', 'prompts'], (places) => pages.changed(places));

  return {
    async matching(place, type, fields) {
      const { rules, links } = await pages.get(place);
      const matches: Match[] = [];
      for (const ruleId of rules.matching(fields)) {
        const entityIds = links.get(ruleId)?.get(type);
        if (entityIds !== undefined) matches.push({ ruleId, entityIds });
      }
      return matches;
    },
  };
}

/** Logs and counts stored rules that cannot be used, each revision once. */
function tellOnce({ logger, registry }: { readonly logger: Logger; readonly registry: Registry }) {
  const told = new Set<string>();
  const broken = new Counter({
    name: 'candela_broken_rules_total',
    help: 'Stored rules that could not be used and were passed over, each revision once.',
    registers: [registry],
  });
  return ({ id, revision }: StoredRule, trouble: string): void => {
    const key = `${id} ${revision}`;
    if (told.has(key)) return;
    if (told.size >= MAX_TOLD) told.clear();
    told.add(key);
    broken.inc();
    logger.warn({ rule: id, revision, trouble }, 'a stored rule cannot be used and is passed over');
  };
}
