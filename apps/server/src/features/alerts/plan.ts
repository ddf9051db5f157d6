import { createHash } from 'node:crypto';
import type { AlertEvent, AlertInput, AlertMatcher } from '@candela/contract';
import { parseGlob } from '@candela/contract';
import type { Labels } from './kinds/kind.ts';

const MS = 1_000;

/** The instant that is evaluated at a time: the last multiple of the interval since 1970. */
export const instantAt = (intervalSeconds: number, now: number): number =>
  Math.floor(now / (intervalSeconds * MS)) * intervalSeconds * MS;

/** The id of an event: the same happening has the same one, whoever sees it and however often. */
export const eventId = (alertId: string, groupKey: string, at: number | string, status: string): string =>
  createHash('sha256')
    .update(JSON.stringify([alertId, groupKey, at, status]))
    .digest('hex')
    .slice(0, 40);

/** Whether a text is the pieces with anything between them. A regular expression of many `*` would try for minutes. */
function isLike([first = '', ...others]: readonly string[], text: string): boolean {
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of others) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** Whether all matchers of a silence hold for the labels. */
export function isSilencedBy(
  matchers: readonly AlertMatcher[],
  labels: ReadonlyMap<string, string>,
): boolean {
  return matchers.every(({ label, value, not }) => isLike(parseGlob(value), labels.get(label) ?? '') !== not);
}

/** Labels that silences look at: those of the alert, of the group, and what the alert is called. */
export const matchLabels = (
  alert: Pick<AlertInput, 'name' | 'severity' | 'labels'> & { readonly id: string },
  labels: Labels,
): ReadonlyMap<string, string> =>
  new Map([
    ...Object.entries(alert.labels),
    ...labels,
    ['alert', alert.name],
    ['alertId', alert.id],
    ['severity', alert.severity],
  ]);

/** A number as people read it. */
const shown = (value: number | null): string =>
  value === null ? 'no data' : String(Number(value.toPrecision(6)));

const UNIT: { readonly [Kind in AlertInput['source']['kind']]?: string } = {
  change: ' % against the window before',
  anomaly: ' deviations from the usual',
  burn_rate: ' times the burn rate that is too fast',
  budget: ' % of the budget',
  no_data: ' rows',
  ingest_stopped: ' rows',
};

const labelsText = (labels: Labels): string =>
  labels.map(([label, value]) => `${label}=${value.slice(0, 120)}`).join(', ');

/** The sentence of an event: the template of the alert, or one of our own. */
export function summaryOf(
  alert: Pick<AlertInput, 'name' | 'severity' | 'summary' | 'source'>,
  event: {
    readonly status: AlertEvent['status'];
    readonly labels: Labels;
    readonly value: number | null;
    readonly limit: number | undefined;
  },
): string {
  const labels = new Map(event.labels);
  const limit = event.limit === undefined ? '' : shown(event.limit);
  if (alert.summary !== '') {
    return alert.summary
      .replaceAll(/\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}/g, (_whole, name: string) => {
        if (name === 'name') return alert.name;
        if (name === 'value') return shown(event.value);
        if (name === 'threshold') return limit;
        if (name === 'severity') return alert.severity;
        return (labels.get(name.slice('labels.'.length)) ?? '').slice(0, 300);
      })
      .slice(0, 1_000);
  }
  const where = event.labels.length === 0 ? '' : ` (${labelsText(event.labels)})`;
  const value = `${shown(event.value)}${UNIT[alert.source.kind] ?? ''}`;
  if (event.status === 'no_data') return `${alert.name}${where}: no data`;
  if (event.status === 'resolved') return `${alert.name}${where}: fine again at ${value}`;
  return `${alert.name}${where}: ${value}${limit === '' ? '' : `, the limit is ${limit}`}`;
}
