import { EVALUATE_LIMITS, type RuleEvaluation } from '@candela/contract';
import { fail } from '@candela/kernel';
import type { StorageScope } from '@candela/metadata-store';
import type { EntityKinds } from './entities/index.ts';
import type { EvaluateRequest } from './evaluate-request.ts';
import type { RuleCache } from './rule-cache.ts';

/** Answers an application: which rules match, what they hand out, and on request that itself. @throws refused */
export async function evaluate(
  parts: { readonly book: RuleCache; readonly kinds: EntityKinds },
  place: StorageScope,
  { entityType, fields, includeData, inputs }: EvaluateRequest,
): Promise<RuleEvaluation> {
  const matches = await parts.book.matching(place, entityType, fields);
  const entities = matches.flatMap(({ ruleId, entityIds }) =>
    entityIds.map((id) => ({ rule_id: ruleId, entity_type: entityType, entity_id: id })),
  );
  const answer = { matchingRuleIds: matches.map(({ ruleId }) => ruleId), entities };
  if (!includeData) return answer;
  const { records } = parts.kinds[entityType];
  if (records === undefined) return { ...answer, entity_data: {} };
  const ids = [...new Set(entities.map(({ entity_id }) => entity_id))];
  if (ids.length > EVALUATE_LIMITS.records) {
    throw fail('refused', {
      detail: `The rules that match hand out ${ids.length} records; an answer holds ${EVALUATE_LIMITS.records} at most. Ask without include_entity_data and fetch those that are needed.`,
    });
  }
  const found = await records(place, ids, inputs);
  const data = ids.map((id) => [`${entityType}:${id}`, found.get(id) ?? null] as const);
  return { ...answer, entity_data: Object.fromEntries(data) };
}
