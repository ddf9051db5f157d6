import type { StorageScope } from '../storage-scope.ts';

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
    place: StorageScope,
    input: {
      readonly search: string | undefined;
      readonly status: ActiveStatus | undefined;
      readonly limit: number;
      readonly after: RulePlace | undefined;
    },
  ): Promise<{ rules: StoredRule[]; next: RulePlace | undefined }>;
  /** Those that are ACTIVE, by priority, then id; with ids those of them. */
  active(place: StorageScope, ids?: readonly string[]): Promise<StoredRule[]>;
  /** The same without what they say: whether one changed. */
  activeHeads(place: StorageScope): Promise<Pick<StoredRule, 'id' | 'revision'>[]>;
  /** @throws not_found */
  get(place: StorageScope, id: string): Promise<StoredRule>;
  /** @throws conflict when the name is taken, refused when the place has its fill */
  create(place: StorageScope, rule: RuleDocument, by: string): Promise<StoredRule>;
  /** `revision` undefined: whatever is there now. @throws not_found, conflict (name taken, another revision by now) */
  replace(
    place: StorageScope,
    id: string,
    input: { readonly revision: number | undefined; readonly rule: RuleDocument; readonly by: string },
  ): Promise<StoredRule>;
  /** @throws not_found */
  delete(place: StorageScope, id: string): Promise<void>;
  /** Links of the place by their id, at most `limit`, after an id. */
  links(
    place: StorageScope,
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
    place: StorageScope,
    ruleId: string,
    link: Pick<StoredRuleLink, 'entityType' | 'entityId'>,
    by: string,
  ): Promise<StoredRuleLink>;
  /** What it was. @throws not_found */
  unlink(place: StorageScope, id: string, by: string): Promise<StoredRuleLink>;
  /** Rules that are linked to something, by priority, then name, at most `limit`. */
  linkedTo(
    place: StorageScope,
    entity: Pick<StoredRuleLink, 'entityType' | 'entityId'>,
    limit: number,
  ): Promise<Pick<StoredRule, 'id' | 'name' | 'status' | 'priority'>[]>;
}
