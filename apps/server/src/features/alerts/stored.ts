import {
  type Alert,
  type AlertEvent,
  type AlertGroup,
  type AlertInput,
  alertInputSchema,
  type AlertMatcher,
  type AlertStatus,
} from '@candela/contract';
import type { StoredAlert, StoredAlertEvent, StoredAlertState } from '@candela/metadata-store';
import type { Labels } from './kinds/kind.ts';
import { isSilencedBy, matchLabels } from './plan.ts';
import type { GroupState } from './step.ts';

export const iso = (ms: number): string => new Date(ms).toISOString();

/** What is kept of an event beside its columns. */
export interface EventDetails {
  readonly labels: Labels;
  readonly value: number | null;
  readonly summary: string;
  readonly silenced: boolean;
  readonly link: string | null;
}

/** The state row of an alert whose evaluations fail. */
export const ERROR_KEY = 'error';

export const definitionOf = ({ definition, ...alert }: StoredAlert): AlertInput => ({
  ...alertInputSchema.parse(JSON.parse(definition)),
  name: alert.name,
  enabled: alert.enabled,
});

export const stateOf = ({ state }: Pick<StoredAlertState, 'state'>): GroupState =>
  JSON.parse(state) as GroupState;

export const statesOf = (rows: readonly StoredAlertState[]): Map<string, GroupState> =>
  new Map(rows.filter(({ groupKey }) => groupKey !== ERROR_KEY).map((row) => [row.groupKey, stateOf(row)]));

const WORST: readonly AlertStatus[] = ['error', 'firing', 'no_data', 'pending', 'ok'];

export type Silences = readonly (readonly AlertMatcher[])[];

export const isSilenced = (
  silences: Silences,
  alert: Pick<AlertInput, 'name' | 'severity' | 'labels'> & { readonly id: string },
  labels: Labels,
): boolean => {
  const all = matchLabels(alert, labels);
  return silences.some((matchers) => isSilencedBy(matchers, all));
};

/** An alert as the API shows it. @param states those of its groups that are not ok */
export function alertView(
  stored: StoredAlert,
  states: readonly StoredAlertState[],
  silences: Silences,
): Alert {
  const alert = definitionOf(stored);
  const statuses = new Set<AlertStatus>(states.map(({ status }) => status as AlertStatus));
  if (stored.error !== null) statuses.add('error');
  const firing = states.filter(({ status }) => status === 'firing');
  return {
    ...alert,
    id: stored.id,
    environment: stored.environment,
    status: WORST.find((status) => statuses.has(status)) ?? 'ok',
    firing: firing.length,
    silenced:
      firing.length > 0 &&
      firing.every((row) => isSilenced(silences, { ...alert, id: stored.id }, stateOf(row).labels)),
    lastEvaluatedAt: stored.lastAt === null ? null : iso(stored.lastAt),
    error: stored.error,
    revision: stored.revision,
    updatedBy: stored.updatedBy,
    updatedAt: iso(stored.updatedAt),
  };
}

export function groupView(alert: Alert, row: StoredAlertState, silences: Silences): AlertGroup {
  const state = stateOf(row);
  return {
    key: row.groupKey,
    labels: Object.fromEntries(state.labels),
    status: row.status as AlertStatus,
    since: iso(state.since),
    value: state.value,
    acknowledgedBy: state.acknowledgedBy ?? null,
    silenced: isSilenced(silences, alert, state.labels),
  };
}

export function eventView(event: StoredAlertEvent, alert: Pick<AlertInput, 'name' | 'severity'>): AlertEvent {
  const details = JSON.parse(event.details) as EventDetails;
  return {
    id: event.id,
    alertId: event.alertId,
    alertName: alert.name,
    severity: alert.severity,
    status: event.status as AlertEvent['status'],
    at: iso(event.at),
    recordedAt: iso(event.recordedAt),
    groupKey: event.groupKey,
    labels: Object.fromEntries(details.labels),
    value: details.value,
    summary: details.summary,
    silenced: details.silenced,
    link: details.link,
  };
}
