import type { AlertKind, AlertSourceInput, ChangeObject } from '@candela/contract';
import { CheckField, CheckList, SelectField, TextField } from '../../ui/field.tsx';
import { BudgetFields } from './budget-fields.tsx';
import { KINDS, sourceOf } from './draft.ts';
import { NumberField, type SourceProps } from './number-field.tsx';
import { SCORE_GROUPS } from '../panels/panel-start.ts';
import { QueryFields } from './query-fields.tsx';

const WINDOWS = [
  { value: '60', label: '1 minute' },
  { value: '300', label: '5 minutes' },
  { value: '600', label: '10 minutes' },
  { value: '1800', label: '30 minutes' },
  { value: '3600', label: '1 hour' },
  { value: '21600', label: '6 hours' },
  { value: '86400', label: '1 day' },
];
const OPERATORS = [
  { value: '>', label: 'is above' },
  { value: '>=', label: 'is at least' },
  { value: '<', label: 'is below' },
  { value: '<=', label: 'is at most' },
];
const OBJECTS: readonly { value: ChangeObject; label: string }[] = [
  { value: 'prompt', label: 'Prompts' },
  { value: 'rule', label: 'Rules' },
  { value: 'context', label: 'Contexts' },
  { value: 'secret', label: 'Secrets' },
  { value: 'api-key', label: 'API keys' },
  { value: 'user', label: 'Members' },
  { value: 'invitation', label: 'Invitations' },
  { value: 'connector', label: 'Connectors' },
  { value: 'model', label: 'Models' },
  { value: 'oauth-client', label: 'OAuth clients' },
  { value: 'board', label: 'Dashboards' },
  { value: 'alert', label: 'Alerts' },
];

/** What an alert watches: its kind, and what the kind asks for. */
export function SourceFields({ source, onChange }: SourceProps) {
  const kind = KINDS.find(({ value }) => value === source.kind);
  const set = (next: object) => onChange({ ...source, ...next } as AlertSourceInput);
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <SelectField
        label="Watches"
        value={source.kind}
        onValue={(next) => onChange(sourceOf(next as AlertKind, source))}
        options={KINDS}
        hint={kind?.hint}
      />
      {'windowSeconds' in source && (
        <SelectField
          label="Over"
          value={String(source.windowSeconds)}
          onValue={(text) => set({ windowSeconds: Number(text) })}
          options={
            WINDOWS.some(({ value }) => value === String(source.windowSeconds))
              ? WINDOWS
              : [...WINDOWS, { value: String(source.windowSeconds), label: `${source.windowSeconds} s` }]
          }
        />
      )}
      {'query' in source && (
        <QueryFields key={source.query.kind} query={source.query} onChange={(query) => set({ query })} />
      )}
      {(source.kind === 'threshold' || source.kind === 'change') && (
        <ConditionFields source={source} onChange={onChange} />
      )}
      {source.kind === 'anomaly' && (
        <>
          <SelectField
            label="Direction"
            value={source.direction ?? 'both'}
            onValue={(direction) => set({ direction })}
            options={['both', 'above', 'below'].map((one) => ({ value: one, label: one }))}
          />
          <NumberField
            label="Sensitivity"
            value={source.sensitivity}
            min={1}
            onValue={(sensitivity) => set({ sensitivity })}
            hint="Deviations from the usual; smaller fires more often."
          />
        </>
      )}
      {source.kind === 'score_below' && <ScoreBelowFields source={source} onChange={onChange} />}
      {source.kind === 'burn_rate' && (
        <>
          <NumberField
            label="Objective"
            value={source.objective}
            onValue={(objective) => set({ objective })}
            hint="Part of the spans that succeed over 30 days, such as 0.99."
          />
          <TextField label="Filter" value={source.q ?? ''} onValue={(q) => set({ q: q || undefined })} />
        </>
      )}
      {source.kind === 'budget' && <BudgetFields source={source} onChange={onChange} />}
      {source.kind === 'ingest_stopped' && (
        <>
          <SelectField
            label="Signal"
            value={source.signal ?? 'spans'}
            onValue={(signal) => set({ signal })}
            options={[
              { value: 'spans', label: 'Spans' },
              { value: 'logs', label: 'Log records' },
            ]}
          />
          <CheckField
            label="Each service by itself"
            checked={source.perService ?? true}
            onChange={(perService) => set({ perService })}
          />
        </>
      )}
      {source.kind === 'exception' && (
        <>
          <SelectField
            label="When"
            value={source.when ?? 'both'}
            onValue={(when) => set({ when })}
            options={[
              { value: 'both', label: 'New or returned' },
              { value: 'new', label: 'New' },
              { value: 'returned', label: 'Returned' },
            ]}
          />
          <TextField label="Filter" value={source.q ?? ''} onValue={(q) => set({ q: q || undefined })} />
        </>
      )}
      {source.kind === 'finding' && (
        <SelectField
          label="From severity"
          value={source.minSeverity ?? 'high'}
          onValue={(minSeverity) => set({ minSeverity })}
          options={['low', 'medium', 'high', 'critical'].map((one) => ({ value: one, label: one }))}
        />
      )}
      {source.kind === 'changed' && (
        <div className="sm:col-span-2">
          <CheckList
            label="Changes of"
            options={OBJECTS}
            chosen={source.objects}
            onChange={(objects) => set({ objects })}
          />
        </div>
      )}
    </div>
  );
}

function ScoreBelowFields({ source, onChange }: SourceProps<'score_below'>) {
  const set = (next: object) => onChange({ ...source, ...next } as AlertSourceInput);
  return (
    <>
      <SelectField
        label="Value"
        value={source.measure ?? 'pass_rate'}
        onValue={(measure) => set({ measure })}
        options={[
          { value: 'pass_rate', label: 'Part that passed, 0 to 1' },
          { value: 'mean', label: 'Mean of the values' },
        ]}
      />
      <NumberField
        label="Fires below"
        value={source.value}
        onValue={(value) => set({ value: value ?? Number.NaN })}
      />
      <NumberField
        label="Recovers at"
        value={source.recovery}
        onValue={(recovery) => set({ recovery })}
        hint="Empty: the limit itself."
      />
      <NumberField
        label="Scores at least"
        value={source.minScores}
        min={1}
        onValue={(minScores) => set({ minScores })}
        hint="Fewer say nothing: no data."
      />
      <TextField
        label="Name of the score"
        value={source.name ?? ''}
        onValue={(name) => set({ name: name === '' ? undefined : name })}
        hint="Empty: all."
      />
      <SelectField
        label="For each"
        value={source.groupBy?.[0] ?? ''}
        onValue={(by) => set({ groupBy: by === '' ? [] : [by] })}
        options={[{ value: '', label: 'All together' }, ...SCORE_GROUPS]}
      />
    </>
  );
}

function ConditionFields({ source, onChange }: SourceProps<'threshold' | 'change'>) {
  const { condition } = source;
  const set = (next: object) => onChange({ ...source, condition: { ...condition, ...next } });
  const unit = source.kind === 'change' ? ' (percent)' : '';
  return (
    <>
      <SelectField
        label="Fires when it"
        value={condition.op}
        onValue={(op) => set({ op, recovery: undefined })}
        options={OPERATORS}
      />
      <NumberField
        label={`Limit${unit}`}
        value={condition.value}
        onValue={(value) => set({ value: value ?? Number.NaN })}
      />
      <NumberField
        label={`Recovers at${unit}`}
        value={condition.recovery}
        onValue={(recovery) => set({ recovery })}
        hint="Empty: the limit itself. A distance keeps it from flapping."
      />
    </>
  );
}
