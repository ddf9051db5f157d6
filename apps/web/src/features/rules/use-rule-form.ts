import type { Rule } from '@candela/contract';
import { useQueryClient } from '@tanstack/react-query';
import { definitionBody, replaceRule, RULE_KEYS, type RuleDefinition, ruleQuery } from '../../api/rules.ts';
import { type GuardedForm, useGuardedForm } from '../build/use-guarded-form.ts';
import { useShell } from '../shell/shell-search.ts';

/** What a rule hands out; the name is only shown. */
export type FormLink = Pick<Rule['links'][number], 'entityType' | 'entityId' | 'name' | 'state'>;

/** What is written of a rule before it is saved. */
export interface RuleForm extends RuleDefinition {
  readonly name: string;
  readonly description: string;
  readonly status: Rule['status'];
  /** As typed. */
  readonly priority: string;
  readonly links: readonly FormLink[];
}

export const isPriority = (text: string): boolean =>
  /^-?\d{1,7}$/.test(text.trim()) && Math.abs(Number(text)) <= 1_000_000;

const bodyOf = (form: RuleForm) => ({
  name: form.name.trim(),
  description: form.description,
  status: form.status,
  priority: isPriority(form.priority) ? Number(form.priority) : 0,
  ...definitionBody(form),
  links: form.links.map(({ entityType, entityId }) => ({ entityType, entityId })),
});

const formOf = ({ name, description, status, priority, groupOperator, groups, links }: Rule): RuleForm => ({
  name,
  description,
  status,
  priority: String(priority),
  groupOperator,
  groups,
  links: links.map(({ entityType, entityId, name: linked, state }) => ({
    entityType,
    entityId,
    name: linked,
    state,
  })),
});

/** What two versions of a rule are compared by: one thing a line. */
export const textOfRule = (rule: Rule | RuleForm): string =>
  JSON.stringify(bodyOf('revision' in rule ? formOf(rule) : rule), undefined, 2);

/** The form of a rule, saved whole under the revision that it began from. */
export function useRuleForm(rule: Rule): GuardedForm<Rule, RuleForm> {
  const { environment } = useShell();
  const client = useQueryClient();
  const askAgain = () => void client.invalidateQueries({ queryKey: RULE_KEYS });
  return useGuardedForm<Rule, RuleForm>({
    kept: rule,
    formOf,
    textOf: (form) => `${form.priority.trim()} ${textOfRule(form)}`,
    put: (form, revision) => replaceRule(environment, rule.id, { ...bodyOf(form), revision }),
    onSaved: (saved) => {
      client.setQueryData(ruleQuery(environment, saved.id).queryKey, saved);
      askAgain();
    },
    onConflict: askAgain,
  });
}
