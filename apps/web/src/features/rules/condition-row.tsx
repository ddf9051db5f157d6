import {
  type Condition,
  DATA_TYPES,
  type DataType,
  operatorsFor,
  RULE_LIMITS,
  type RuleTrouble,
} from '@candela/rules';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useId, useState } from 'react';
import { fieldsQuery } from '../../api/explore.ts';
import { ruleFieldValuesQuery } from '../../api/rules.ts';
import { cx } from '../../lib/cx.ts';
import { exact, formatCount } from '../../lib/format.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { useShell } from '../shell/shell-search.ts';
import { CompletedField, type Completion } from './completed-field.tsx';
import { NAMED_FIELDS, type RuleField, ruleFieldOf } from './field-names.ts';

/** Typing rests for this long before the server is asked. */
const DEBOUNCE_MS = 150;
const MOST = 50;
const TYPE_NAMES: Readonly<Record<DataType, string>> = {
  string: 'text',
  number: 'number',
  boolean: 'yes or no',
};
const SELECT = 'h-8 rounded-md border border-line bg-bg px-1.5 text-text disabled:opacity-60';

/** What the preview counted for a condition. */
export interface ConditionCount {
  readonly matched: number;
  readonly excluded: number | null;
}

/** One condition: field, type, operator, value; below it what is wrong, or what it matches. */
export function ConditionRow(props: {
  /** Where it stands, for the labels: `condition 2 of group 1`. */
  place: string;
  condition: Condition;
  troubles: readonly RuleTrouble[];
  count: ConditionCount | undefined;
  disabled: boolean;
  onChange: (condition: Condition) => void;
  onRemove: () => void;
}) {
  const { condition, place, disabled } = props;
  const note = useId();
  const change = (next: Partial<Condition>) => props.onChange(withOperator({ ...condition, ...next }));
  const wrong = (part: string) => props.troubles.find(({ path }) => path.at(-1) === part);
  const trouble = props.troubles[0];
  // What is not filled in yet is no mistake.
  const unfinished = condition.field.trim() === '' || condition.value === '';
  const invalid = (part: string) => !unfinished && wrong(part) !== undefined;
  const describedBy = trouble === undefined && props.count === undefined ? undefined : note;
  return (
    <div role="group" aria-label={place} className="flex flex-col gap-0.5">
      <div className="grid grid-cols-[minmax(0,1.3fr)_5.5rem_8.5rem_minmax(0,1fr)_1.75rem] items-start gap-1 max-xl:grid-cols-[minmax(0,1fr)_5.5rem_8.5rem_1.75rem] max-sm:grid-cols-[minmax(0,1fr)_minmax(0,1.4fr)_1.75rem]">
        <div className="min-w-0 max-sm:col-span-full">
          <FieldBox
            label={`Field of ${place}`}
            value={condition.field}
            disabled={disabled}
            invalid={invalid('field')}
            describedBy={describedBy}
            onField={(field) => change({ field })}
            onTake={({ name, dataType }) => change({ field: name, dataType })}
          />
        </div>
        <select
          aria-label={`Type of ${place}`}
          disabled={disabled}
          value={condition.dataType}
          onChange={(event) => change({ dataType: event.target.value as DataType })}
          className={SELECT}
        >
          {DATA_TYPES.map((type) => (
            <option key={type} value={type}>
              {TYPE_NAMES[type]}
            </option>
          ))}
        </select>
        <select
          aria-label={`Operator of ${place}`}
          disabled={disabled}
          value={condition.operator}
          onChange={(event) => change({ operator: event.target.value as Condition['operator'] })}
          className={SELECT}
        >
          {operatorsFor(condition.dataType).map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
        <div className="min-w-0 max-xl:order-last max-xl:col-span-full">
          {condition.dataType === 'boolean' ? (
            <select
              aria-label={`Value of ${place}`}
              disabled={disabled}
              value={condition.value}
              onChange={(event) => change({ value: event.target.value })}
              className={cx(SELECT, 'w-full')}
            >
              <option value="true">true</option>
              <option value="false">false</option>
            </select>
          ) : (
            <ValueBox
              label={`Value of ${place}`}
              condition={condition}
              disabled={disabled}
              invalid={invalid('value')}
              describedBy={describedBy}
              onValue={(value) => change({ value })}
            />
          )}
        </div>
        {!disabled && (
          <button
            type="button"
            aria-label={`Take away ${place}`}
            onClick={props.onRemove}
            className="flex size-7 items-center justify-center self-center rounded text-muted hover:bg-hover hover:text-text"
          >
            <X size={14} aria-hidden />
          </button>
        )}
      </div>
      <p id={note} className="min-h-5 text-sm text-muted">
        {trouble !== undefined ? (
          <span className={unfinished ? undefined : 'text-danger'}>{trouble.message}</span>
        ) : (
          props.count !== undefined && <Counts count={props.count} />
        )}
      </p>
    </div>
  );
}

function Counts({ count: { matched, excluded } }: { count: ConditionCount }) {
  return (
    <>
      <span title={exact(matched)}>matches alone {formatCount(matched)}</span>
      {excluded !== null && excluded > 0 && (
        <span title={`Without it the rule would match ${exact(excluded)} more`}>
          {' '}
          · filtered out {formatCount(excluded)}
        </span>
      )}
    </>
  );
}

/** Another type may not have the operator, and yes or no has no third value. */
function withOperator(condition: Condition): Condition {
  const operators = operatorsFor(condition.dataType);
  const operator = operators.some(({ id }) => id === condition.operator) ? condition.operator : 'equals';
  const { value } = condition;
  const truth = condition.dataType === 'boolean' && value !== 'true' && value !== 'false';
  return { ...condition, operator, value: truth ? 'true' : value };
}

function FieldBox(props: {
  label: string;
  value: string;
  disabled: boolean;
  invalid: boolean;
  describedBy: string | undefined;
  onField: (field: string) => void;
  onTake: (field: RuleField) => void;
}) {
  const { environment, window } = useShell();
  const [open, setOpen] = useState(false);
  const typed = props.value.trim();
  const rested = useDebounced(typed, DEBOUNCE_MS);
  const keys = useQuery({
    ...fieldsQuery({ window, q: '', environment }, 'spans', rested),
    enabled: open,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const wanted = typed.toLowerCase();
  const found = [
    ...NAMED_FIELDS,
    ...(keys.data ?? []).filter(({ source }) => source !== 'named').map(ruleFieldOf),
  ].filter(({ name }) => name.toLowerCase().includes(wanted));
  const fields = new Map(
    found
      .sort((a, b) => rank(a.name, wanted) - rank(b.name, wanted))
      .slice(0, MOST)
      .map((field) => [field.name, field]),
  );
  return (
    <CompletedField
      {...props}
      placeholder="Field: model, user.tier"
      maxLength={RULE_LIMITS.fieldLength}
      completions={
        open ? [...fields.values()].map(({ name, hint }): Completion => ({ text: name, hint })) : []
      }
      onValue={props.onField}
      onTake={({ text }) => {
        const field = fields.get(text);
        if (field !== undefined) props.onTake(field);
      }}
      onOpen={setOpen}
    />
  );
}

const rank = (name: string, wanted: string): number => (name.toLowerCase().startsWith(wanted) ? 0 : 1);

const PLACEHOLDERS: Readonly<Partial<Record<Condition['operator'], string>>> = {
  in: 'gold, silver',
  not_in: 'gold, silver',
  between: '0.5,1',
  regex: '^gpt-[45]',
};

function ValueBox(props: {
  label: string;
  condition: Condition;
  disabled: boolean;
  invalid: boolean;
  describedBy: string | undefined;
  onValue: (value: string) => void;
}) {
  const { condition } = props;
  const { environment, window } = useShell();
  const [open, setOpen] = useState(false);
  const many = condition.operator === 'in' || condition.operator === 'not_in';
  // Of a list only the item that is being written is completed.
  const before = many ? condition.value.slice(0, condition.value.lastIndexOf(',') + 1) : '';
  const typed = condition.value.slice(before.length).trim();
  const asked = useDebounced(
    { field: condition.field.trim(), typed },
    DEBOUNCE_MS,
    ({ field, typed: text }) => JSON.stringify([field, text]),
  );
  const has = condition.dataType === 'string' && condition.operator !== 'regex';
  const values = useQuery({
    ...ruleFieldValuesQuery(environment, window, asked.field, asked.typed),
    enabled: open && has && asked.field !== '',
    placeholderData: keepPreviousData,
  });
  const completions = (open && has ? (values.data ?? []) : [])
    .filter(({ value }) => value !== typed && value.toLowerCase().includes(typed.toLowerCase()))
    .map(({ value, count }): Completion => ({ text: value, hint: formatCount(count) }));
  return (
    <CompletedField
      label={props.label}
      value={condition.value}
      disabled={props.disabled}
      invalid={props.invalid}
      describedBy={props.describedBy}
      placeholder={PLACEHOLDERS[condition.operator] ?? (condition.dataType === 'number' ? '100' : 'Value')}
      maxLength={RULE_LIMITS.valueLength}
      completions={completions}
      onValue={props.onValue}
      onTake={({ text }) => props.onValue(`${before}${before === '' ? '' : ' '}${text}`)}
      onOpen={setOpen}
    />
  );
}
