import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { splitList } from './draft.ts';
import { NumberField, type SourceProps } from './number-field.tsx';

const SCOPES = [
  { value: 'project', label: 'The whole project' },
  { value: 'user', label: 'Each user' },
  { value: 'model', label: 'Each model' },
  { value: 'session', label: 'Each session' },
  { value: 'service', label: 'Each service' },
  { value: 'agent', label: 'Each agent' },
];
const PERIODS = [
  { value: 'month', label: 'Calendar month' },
  { value: 'week', label: 'Calendar week' },
  { value: 'day', label: 'Calendar day' },
  { value: '3600', label: 'The last hour' },
  { value: '86400', label: 'The last 24 hours' },
  { value: '604800', label: 'The last 7 days' },
  { value: '2592000', label: 'The last 30 days' },
];

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
      <TextField
        label="Told at percent"
        value={(source.thresholds ?? []).join(', ')}
        onValue={(text) =>
          set({
            thresholds: splitList(text, 5)
              .map(Number)
              .filter((one) => one > 0),
          })
        }
        hint="Each once a period."
      />
      {source.scope !== 'project' && (
        <TextField
          label="Only"
          value={source.only ?? ''}
          onValue={(only) => set({ only: only === '' ? undefined : only })}
          hint="One of them by name; empty: each has a budget of its own."
        />
      )}
      <TextField
        label="Filter"
        value={source.q ?? ''}
        onValue={(q) => set({ q: q === '' ? undefined : q })}
        hint="Only what this finds counts."
      />
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
