import { useInfiniteQuery } from '@tanstack/react-query';
import { rulesQuery } from '../../api/rules.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { splitList } from './draft.ts';
import { ReadField } from '../../ui/read-field.tsx';
import { NumberField, type SourceProps } from './number-field.tsx';
import { useShell } from '../shell/shell-search.ts';

const SCOPES = [
  { value: 'project', label: 'The whole project' },
  { value: 'user', label: 'Each user' },
  { value: 'model', label: 'Each model' },
  { value: 'key', label: 'Each key of a gateway' },
  { value: 'session', label: 'Each session' },
  { value: 'service', label: 'Each service' },
  { value: 'agent', label: 'Each agent' },
];
const KEY_FIELD = 'attributes.metadata.user_api_key_hash';
const PERIODS = [
  { value: 'month', label: 'Calendar month' },
  { value: 'week', label: 'Calendar week' },
  { value: 'day', label: 'Calendar day' },
  { value: '3600', label: 'The last hour' },
  { value: '86400', label: 'The last 24 hours' },
  { value: '604800', label: 'The last 7 days' },
  { value: '2592000', label: 'The last 30 days' },
];

/** What is wrong with the percentages of a budget; the server refuses them, too. */
const percentTrouble = (percents: readonly number[]): string | undefined =>
  percents.length === 0
    ? 'Write at least one percentage, like 50, 80, 100.'
    : new Set(percents).size < percents.length
      ? 'A percentage is given twice. Give each once.'
      : undefined;

/** What a budget asks for. */
export function BudgetFields({ source, onChange }: SourceProps<'budget'>) {
  const set = (next: object) => onChange({ ...source, ...next } as typeof source);
  const { period } = source;
  const timezone = period?.kind === 'calendar' ? (period.timezone ?? 'UTC') : 'UTC';
  return (
    <>
      <SelectField
        label="Budget of"
        value={source.scope ?? 'project'}
        onValue={(scope) => set({ scope, only: undefined })}
        options={SCOPES}
      />
      <NumberField
        label="Limit in USD"
        value={source.limitUsd}
        min={0}
        onValue={(limitUsd) => set({ limitUsd })}
      />
      <SelectField
        label="Period"
        value={
          period === undefined ? 'month' : period.kind === 'calendar' ? period.unit : String(period.seconds)
        }
        onValue={(text) =>
          set({
            period: /^\d+$/.test(text)
              ? { kind: 'rolling', seconds: Number(text) }
              : { kind: 'calendar', unit: text, timezone },
          })
        }
        options={PERIODS}
      />
      {period?.kind === 'calendar' && (
        <TextField
          label="Time zone"
          value={timezone}
          onValue={(next) => set({ period: { ...period, timezone: next } })}
          hint="Days begin there at midnight: Europe/Berlin."
        />
      )}
      <ReadField
        label="Told at percent"
        initial={(source.thresholds ?? []).join(', ')}
        onText={(text) =>
          set({
            thresholds: splitList(text, 5)
              .map(Number)
              .filter((one) => one > 0),
          })
        }
        hint="Each once a period."
        error={percentTrouble(source.thresholds ?? [])}
      />
      {source.scope !== 'project' && (
        <TextField
          label="Only"
          value={source.only ?? ''}
          onValue={(only) => set({ only: only === '' ? undefined : only })}
          hint="One of them by name; empty: each has a budget of its own."
        />
      )}
      {source.scope === 'key' && (
        <TextField
          label="Attribute of the key"
          value={source.keyField ?? KEY_FIELD}
          onValue={(keyField) => set({ keyField: keyField === '' ? undefined : keyField })}
          hint="Written by your gateway on its spans; this one by LiteLLM."
        />
      )}
      <TextField
        label="Filter"
        value={source.q ?? ''}
        onValue={(q) => set({ q: q === '' ? undefined : q })}
        hint="Only what this finds counts."
      />
      <RuleSwitch source={source} onChange={onChange} />
      <div className="sm:col-span-2">
        <CheckField
          label="Refuse further calls at 100 percent"
          hint="GET /api/budget/check answers it; checkBudget of the client libraries asks it."
          checked={source.blocks ?? false}
          onChange={(blocks) => set({ blocks })}
        />
      </div>
    </>
  );
}

/** The rule that the spent budget switches. */
function RuleSwitch({ source, onChange }: SourceProps<'budget'>) {
  const { environment } = useShell();
  const { data, isError } = useInfiniteQuery(rulesQuery(environment, { q: '', status: '' }));
  const rules = (data?.pages ?? []).flatMap((page) => page.data);
  const chosen = source.ruleSwitch ?? undefined;
  const set = (ruleId: string, status: 'ACTIVE' | 'INACTIVE') =>
    onChange({ ...source, ruleSwitch: ruleId === '' ? null : { ruleId, status } });
  // One that is on a later page, or gone, stays as it is.
  const known = chosen === undefined || rules.some(({ id }) => id === chosen.ruleId);
  return (
    <>
      <SelectField
        label="Switches the rule"
        value={chosen?.ruleId ?? ''}
        onValue={(ruleId) => set(ruleId, chosen?.status ?? 'ACTIVE')}
        options={[
          { value: '', label: 'none' },
          ...rules.map(({ id, name }) => ({ value: id, label: name })),
          ...(known ? [] : [{ value: chosen.ruleId, label: chosen.ruleId }]),
        ]}
        hint={
          isError
            ? 'Your rights do not reach rules.'
            : 'At 100 percent; when the budget is whole again, back.'
        }
      />
      {chosen !== undefined && (
        <SelectField
          label="While spent the rule is"
          value={chosen.status}
          onValue={(status) => set(chosen.ruleId, status === 'INACTIVE' ? 'INACTIVE' : 'ACTIVE')}
          options={[
            { value: 'ACTIVE', label: 'on' },
            { value: 'INACTIVE', label: 'off' },
          ]}
        />
      )}
    </>
  );
}
