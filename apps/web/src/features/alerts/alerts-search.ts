import type { Panel } from '@candela/contract';
import { choiceParam, textParam } from '../../lib/search-params.ts';

const ALERT_TABS = ['alerts', 'history', 'silences', 'destinations', 'messages'] as const;
export type AlertTab = (typeof ALERT_TABS)[number];

/** What the list of alerts has in its address. */
export interface AlertsSearch {
  tab?: AlertTab;
}

export function validateAlertsSearch(raw: Record<string, unknown>): AlertsSearch {
  const tab = choiceParam(raw, 'tab', ALERT_TABS);
  return tab === undefined || tab === 'alerts' ? {} : { tab };
}

/** What the page of an alert has in its address. */
export interface AlertSearch {
  /** The query of a chart that a new alert begins with, as JSON. */
  on?: string;
}

export function validateAlertSearch(raw: Record<string, unknown>): AlertSearch {
  const on = textParam(raw, 'on', 8_000);
  return on === undefined ? {} : { on };
}

/** Whether an alert can watch what a panel asks. */
export const canAlert = ({ query }: Panel): boolean =>
  query.kind === 'aggregate' ||
  query.kind === 'metric' ||
  query.kind === 'scores' ||
  (query.kind === 'sql' && !query.query.includes('{{'));

/** Where a panel of any page becomes an alert: the address of a new one that watches the same. */
export const alertOnThis = (title: string, { query, visual }: Panel) => ({
  to: '/alerts/$alert' as const,
  params: { alert: 'new' },
  search: { on: JSON.stringify({ title, query, threshold: visual.thresholds?.[0] }) },
});
