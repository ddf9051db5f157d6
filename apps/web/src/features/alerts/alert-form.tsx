import type { AlertDraft } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { destinationsQuery } from '../../api/alerts.ts';
import { CheckField, CheckList, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { ReadField } from '../../ui/read-field.tsx';
import { SourceFields } from './source-fields.tsx';

const SEVERITIES = ['info', 'warning', 'critical'].map((one) => ({ value: one, label: one }));
const times = (...all: readonly (readonly [seconds: number, label: string])[]) =>
  all.map(([seconds, label]) => ({ value: String(seconds), label }));
const INTERVALS = times(
  [30, '30 seconds'],
  [60, '1 minute'],
  [300, '5 minutes'],
  [900, '15 minutes'],
  [3_600, '1 hour'],
);
const DELAYS = times(
  [0, 'none'],
  [30, '30 seconds'],
  [60, '1 minute'],
  [300, '5 minutes'],
  [600, '10 minutes'],
);
const WAITS = times(
  [0, 'at once'],
  [60, '1 minute'],
  [300, '5 minutes'],
  [900, '15 minutes'],
  [3_600, '1 hour'],
);
const REPEATS = times(
  [0, 'never'],
  [900, '15 minutes'],
  [3_600, '1 hour'],
  [14_400, '4 hours'],
  [86_400, '1 day'],
);
const NO_DATA = [
  { value: 'ok', label: 'All is well' },
  { value: 'alert', label: 'Tell of it' },
  { value: 'keep', label: 'Nothing changes' },
];
/** Kinds of single events have no state. */
const EVENTS = new Set(['exception', 'finding', 'changed']);

const isOfScores = (source: AlertDraft['source']): boolean =>
  source.kind === 'score_below' || ('query' in source && source.query.kind === 'scores');

type Times =
  | 'intervalSeconds'
  | 'delaySeconds'
  | 'forSeconds'
  | 'keepFiringSeconds'
  | 'groupWaitSeconds'
  | 'groupIntervalSeconds'
  | 'repeatSeconds';
const FALLBACKS: Record<Times, number> = {
  intervalSeconds: 60,
  delaySeconds: 60,
  forSeconds: 0,
  keepFiringSeconds: 0,
  groupWaitSeconds: 30,
  groupIntervalSeconds: 300,
  repeatSeconds: 14_400,
};

/** Everything that is written of an alert. */
export function AlertForm({
  alert,
  onChange,
}: {
  alert: AlertDraft;
  onChange: (next: Partial<AlertDraft>) => void;
}) {
  const destinations = useQuery(destinationsQuery()).data ?? [];
  const hasStates = !EVENTS.has(alert.source.kind);
  const time = (
    label: string,
    key: Times,
    options: readonly { value: string; label: string }[],
    hint?: string,
  ) => {
    const value = String(alert[key] ?? FALLBACKS[key]);
    return (
      <SelectField
        label={label}
        value={value}
        onValue={(text) => onChange({ [key]: Number(text) })}
        options={
          options.some((one) => one.value === value) ? options : [...options, { value, label: `${value} s` }]
        }
        hint={hint}
      />
    );
  };
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Name"
          value={alert.name}
          onValue={(name) => onChange({ name })}
          maxLength={120}
          required
        />
        <SelectField
          label="Severity"
          value={alert.severity ?? 'warning'}
          onValue={(severity) => onChange({ severity: severity as 'info' })}
          options={SEVERITIES}
        />
      </div>
      <SourceFields source={alert.source} onChange={(source) => onChange({ source })} />
      {destinations.length === 0 ? (
        <p className="text-sm text-muted">
          There is no destination yet: it is recorded, and nobody is told. Administrators make destinations
          under Alerts, Destinations.
        </p>
      ) : (
        <CheckList
          label="Tells"
          options={destinations.map(({ id, name, channel }) => ({
            value: id,
            label: name,
            hint: channel.kind,
          }))}
          chosen={alert.destinations ?? []}
          onChange={(chosen) => onChange({ destinations: [...chosen] })}
        />
      )}
      <More title="When and how often">
        <div className="grid gap-3 pt-2 sm:grid-cols-2">
          {time('Evaluated every', 'intervalSeconds', INTERVALS)}
          {time('Waits for late data', 'delaySeconds', DELAYS)}
          {hasStates && time('Must hold for', 'forSeconds', WAITS)}
          {hasStates && time('Keeps firing for', 'keepFiringSeconds', WAITS)}
          {hasStates && (
            <SelectField
              label="No data means"
              value={alert.noData ?? 'ok'}
              onValue={(noData) => onChange({ noData: noData as 'ok' })}
              options={NO_DATA}
            />
          )}
          {hasStates && (
            <TextField
              label="Least rows"
              type="number"
              min={0}
              value={String(alert.minSamples ?? 0)}
              onValue={(text) => onChange({ minSamples: Math.max(0, Math.floor(Number(text) || 0)) })}
              hint="Fewer count as no data."
            />
          )}
          {isOfScores(alert.source) && (
            <CheckField
              label="Judges that are not calibrated may fire it"
              checked={alert.allowUncalibrated === true}
              onChange={(allowUncalibrated) => onChange({ allowUncalibrated })}
            />
          )}
          {time(
            'Gathers for',
            'groupWaitSeconds',
            times([0, 'not at all'], [30, '30 seconds'], [120, '2 minutes']),
          )}
          {time('At most a message every', 'groupIntervalSeconds', WAITS)}
          {hasStates && time('Said again after', 'repeatSeconds', REPEATS)}
        </div>
      </More>
      <More title="Words and labels">
        <div className="flex flex-col gap-3 pt-2">
          <TextField
            label="Summary"
            value={alert.summary ?? ''}
            onValue={(summary) => onChange({ summary })}
            maxLength={500}
            hint="{{name}}, {{value}}, {{threshold}}, {{severity}}, {{labels.model}}. Empty: a sentence of our own."
          />
          <TextArea
            label="Description"
            value={alert.description ?? ''}
            onValue={(description) => onChange({ description })}
            rows={3}
            maxLength={2_000}
            hint="What to do then; it goes with mails and webhooks."
          />
          <ReadField
            label="Labels"
            initial={Object.entries(alert.labels ?? {})
              .map((one) => one.join('='))
              .join(', ')}
            onText={(text) => onChange({ labels: labelsOf(text) })}
            hint="team=search, tier=1: silences look at them."
          />
          <CheckField
            label="Switched on"
            checked={alert.enabled ?? true}
            onChange={(enabled) => onChange({ enabled })}
          />
        </div>
      </More>
    </div>
  );
}

/** What most alerts leave as it is. */
function More({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details className="rounded-md border border-line px-3 py-2">
      <summary className="min-h-6 cursor-pointer text-sm font-medium">{title}</summary>
      {children}
    </details>
  );
}

const labelsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split(',').flatMap((part) => {
      const [name = '', value = ''] = part.split('=', 2).map((one) => one.trim());
      return name === '' ? [] : [[name, value]];
    }),
  );
