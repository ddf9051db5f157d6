import type { PreparedRule, Test } from './evaluator.ts';
import type { PreparedGroup } from './prepare.ts';
import type { Joiner } from './rule.ts';
import { type Fields, SeenFields } from './values.ts';

/** Many rules asked at once: which of them match. */
export interface RuleSet<Id extends string> {
  readonly size: number;
  /** Ids of the rules that match, in the order the set was made with. */
  matching(fields: Fields): Id[];
}

/**
 * A set of rules, indexed by field: a condition on an absent field is false, so a rule is looked at only when the
 * fields that it cannot match without are there. A prepared rule can stand in many sets.
 */
export function ruleSet<Id extends string>(
  entries: Iterable<{ readonly id: Id; readonly rule: PreparedRule }>,
): RuleSet<Id> {
  const rules: { id: Id; test: Test }[] = [];
  const byField = new Map<string, number[]>();
  const members = Array.from(entries, ({ id, rule }) => ({ id, ...rule.parts }));
  const common = countFields(members.map(({ groups }) => groups));
  for (const { id, joiner, groups, test } of members) {
    const place = rules.length;
    rules.push({ id, test });
    for (const field of anchors(joiner, groups, common)) {
      const places = byField.get(field);
      if (places === undefined) byField.set(field, [place]);
      else places.push(place);
    }
  }
  return {
    size: rules.length,
    matching(fields) {
      const seen = new SeenFields(fields);
      const asked = new Uint8Array(rules.length);
      const found: number[] = [];
      for (const field of seen.names()) {
        for (const place of byField.get(field) ?? []) {
          if (asked[place] === 1) continue;
          asked[place] = 1;
          if (rules[place]?.test(seen) === true) found.push(place);
        }
      }
      return found.sort((a, b) => a - b).flatMap((place) => rules[place]?.id ?? []);
    },
  };
}

/** In how many rules each field stands. */
function countFields(rules: readonly (readonly PreparedGroup[])[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const groups of rules) {
    const own = new Set(groups.flatMap((group) => group.conditions.map(({ condition }) => condition.field)));
    for (const field of own) counts.set(field, (counts.get(field) ?? 0) + 1);
  }
  return counts;
}

/** Fields of which one at least is there whenever the rule matches; as few and as rare as can be. */
function anchors(
  joiner: Joiner,
  groups: readonly PreparedGroup[],
  common: ReadonlyMap<string, number>,
): ReadonlySet<string> {
  const cost = (fields: ReadonlySet<string>) =>
    [...fields].reduce((sum, field) => sum + (common.get(field) ?? 0), 0);
  const cheapest = (sets: readonly ReadonlySet<string>[]) =>
    sets.toSorted((a, b) => cost(a) - cost(b))[0] ?? new Set<string>();
  const ofGroup = (group: PreparedGroup): ReadonlySet<string> => {
    const fields = group.conditions.map(({ condition }) => new Set([condition.field]));
    return group.operator === 'AND' ? cheapest(fields) : new Set(fields.flatMap((set) => [...set]));
  };
  const sets = groups.map(ofGroup);
  return joiner === 'AND' ? cheapest(sets) : new Set(sets.flatMap((set) => [...set]));
}
