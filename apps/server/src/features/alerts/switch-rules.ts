import type { AlertInput } from '@candela/contract';
import { CandelaError } from '@candela/kernel';
import type { Repositories, StoredAlert } from '@candela/metadata-store';
import { record } from '../audit/service.ts';
import { THRESHOLD_LABEL } from './kinds/budget.ts';
import type { Transition } from './step.ts';

/** A whole budget: what acts is its whole limit, not the warnings before it. */
const WHOLE = 100;

export const isWhole = (labels: Transition['labels']): boolean =>
  labels.some(([label, value]) => label === THRESHOLD_LABEL && Number(value) === WHOLE);

/**
 * Gives the rule of a budget its status when the budget is spent, and the other one when it is not any more. Within the
 * change that writes the states. A rule that is gone changes nothing.
 */
export async function switchRules(
  repositories: Repositories,
  stored: StoredAlert,
  { source, name }: AlertInput,
  transitions: readonly Transition[],
): Promise<void> {
  if (source.kind !== 'budget' || source.ruleSwitch === null) return;
  const whole = transitions.filter(({ labels, change }) => change !== 'no_data' && isWhole(labels));
  const last = whole.at(-1);
  if (last === undefined) return;
  const isSpent = whole.some(({ change }) => change === 'firing');
  const other = source.ruleSwitch.status === 'ACTIVE' ? 'INACTIVE' : 'ACTIVE';
  const status = isSpent ? source.ruleSwitch.status : other;
  const { ruleId } = source.ruleSwitch;
  try {
    const rule = await repositories.rules.get(stored, ruleId);
    if (rule.status === status) return;
    await repositories.rules.replace(stored, ruleId, {
      revision: undefined,
      rule: { ...rule, definition: rule.definition as object, status },
      by: `budget ${name}`,
    });
  } catch (thrown) {
    if (thrown instanceof CandelaError && thrown.code === 'not_found') return;
    throw thrown;
  }
  await record(
    repositories,
    {
      principal: { kind: 'system' },
      organisationId: stored.organisationId,
      projectId: stored.projectId,
      requestId: `alert ${stored.id}`,
      name: 'Candela',
    },
    { action: 'rule.update', objectKind: 'rule', objectId: ruleId, details: { status, budget: name } },
  );
}
