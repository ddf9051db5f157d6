import { type Condition, type Rule, RULE_LIMITS, type RuleTrouble } from '@candela/rules';
import { Plus, Trash2 } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { Segments } from '../../ui/segments.tsx';
import { type ConditionCount, ConditionRow } from './condition-row.tsx';

type Group = Rule['groups'][number];
const JOINERS = ['AND', 'OR'] as const;
const EMPTY: Condition = { field: '', operator: 'equals', value: '', dataType: 'string' };

const replaced = <T,>(items: readonly T[], at: number, item: T): T[] =>
  items.map((each, index) => (index === at ? item : each));
const without = <T,>(items: readonly T[], at: number): T[] => items.filter((_, index) => index !== at);

/** Where the conditions of a rule are written: groups of them, joined inside and among each other. */
export function ConditionGroups(props: {
  rule: Rule;
  troubles: readonly RuleTrouble[];
  /** By group, by condition; undefined while it is not known. */
  counts: readonly (readonly ConditionCount[])[] | undefined;
  disabled: boolean;
  onChange: (rule: Rule) => void;
}) {
  const { rule, disabled } = props;
  const { groups } = rule;
  const change = (next: readonly Group[]) => props.onChange({ ...rule, groups: next });
  const total = groups.reduce((sum, { conditions }) => sum + conditions.length, 0);
  const full = total >= RULE_LIMITS.conditions;
  return (
    <section aria-label="Conditions" className="flex flex-col gap-2">
      <div className="flex min-h-8 items-center gap-2">
        <h2 className="font-medium">Conditions</h2>
        {groups.length > 1 && (
          <Segments
            label="How the groups are joined"
            size="small"
            value={rule.groupOperator}
            choices={JOINERS}
            nameOf={(joiner) => (joiner === 'AND' ? 'all groups' : 'any group')}
            onChoose={(groupOperator) => !disabled && props.onChange({ ...rule, groupOperator })}
          />
        )}
      </div>
      {groups.length === 0 && (
        <p className="text-sm text-muted">A rule without conditions never matches anything.</p>
      )}
      {groups.map((group, index) => (
        <GroupBox
          // Groups have no identity but their place.
          key={index}
          number={index + 1}
          group={group}
          troubles={props.troubles.filter(({ path }) => path[0] === 'groups' && path[1] === index)}
          counts={props.counts?.[index]}
          disabled={disabled}
          full={full}
          onChange={(next) => change(replaced(groups, index, next))}
          onRemove={() => change(without(groups, index))}
        />
      ))}
      {!disabled && groups.length < RULE_LIMITS.groups && !full && (
        <Button
          className="self-start"
          onClick={() => change([...groups, { operator: 'AND', conditions: [EMPTY] }])}
        >
          <Plus size={14} aria-hidden />
          {groups.length === 0 ? 'Add a condition' : 'Add a group'}
        </Button>
      )}
    </section>
  );
}

function GroupBox(props: {
  number: number;
  group: Group;
  troubles: readonly RuleTrouble[];
  counts: readonly ConditionCount[] | undefined;
  disabled: boolean;
  full: boolean;
  onChange: (group: Group) => void;
  onRemove: () => void;
}) {
  const { group, number, disabled } = props;
  const { conditions } = group;
  return (
    <fieldset className="flex min-w-0 flex-col gap-1 rounded-md border border-line bg-surface p-2">
      <legend className="sr-only">Group {number}</legend>
      <div className="flex min-h-6 items-center gap-2">
        <span className="text-sm font-medium">Group {number}</span>
        {conditions.length > 1 && (
          <Segments
            label={`How the conditions of group ${number} are joined`}
            size="small"
            value={group.operator}
            choices={JOINERS}
            nameOf={(joiner) => (joiner === 'AND' ? 'all of these' : 'any of these')}
            onChoose={(operator) => !disabled && props.onChange({ ...group, operator })}
          />
        )}
        {!disabled && (
          <button
            type="button"
            aria-label={`Take away group ${number}`}
            onClick={props.onRemove}
            className="ml-auto flex size-6 items-center justify-center rounded text-muted hover:bg-hover hover:text-text"
          >
            <Trash2 size={13} aria-hidden />
          </button>
        )}
      </div>
      {conditions.map((condition, index) => (
        <ConditionRow
          key={index}
          place={`condition ${index + 1} of group ${number}`}
          condition={condition}
          troubles={props.troubles.filter(({ path }) => path[3] === index)}
          count={props.counts?.[index]}
          disabled={disabled}
          onChange={(next) => props.onChange({ ...group, conditions: replaced(conditions, index, next) })}
          onRemove={() =>
            conditions.length === 1
              ? props.onRemove()
              : props.onChange({ ...group, conditions: without(conditions, index) })
          }
        />
      ))}
      {!disabled && !props.full && (
        <Button
          className="h-7 self-start"
          aria-label={`Add a condition to group ${number}`}
          onClick={() => props.onChange({ ...group, conditions: [...conditions, EMPTY] })}
        >
          <Plus size={13} aria-hidden />
          Condition
        </Button>
      )}
    </fieldset>
  );
}
