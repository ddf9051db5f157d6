import type { IngestTrouble } from '@candela/contract';
import { formatCount, formatDuration } from '../../lib/format.ts';

/** Why something was refused or changed, in words for whoever has to mend it. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['bad_trace_id', 'Trace id is not 16 bytes, or all zeros'],
  ['bad_span_id', 'Span id is not 8 bytes, or all zeros'],
  ['bad_parent_span_id', 'Parent span id is neither empty nor 8 bytes'],
  ['no_start_time', 'No start time'],
  ['end_before_start', 'Ends before it starts'],
  ['time_out_of_range', 'A time is after the year 2262'],
  ['no_value', 'A data point without a value'],
  ['bad_buckets', 'Bucket counts do not fit their bounds'],
  ['bad_bounds', 'Bucket bounds are not rising'],
  ['bad_quantiles', 'A quantile is not between 0 and 1'],
  ['attributes_dropped', 'Attributes over the limit of a record were dropped'],
  ['values_cut', 'Attribute values over the limit were cut'],
  ['keys_cut', 'Attribute keys over the limit were cut'],
  ['names_cut', 'Names over the limit were cut'],
  ['links_dropped', 'Links without valid ids were left out'],
  ['facts_unread', 'GenAI attributes that could not be read'],
  ['counts_rejected', 'Token counts that are none'],
  ['environments_renamed', 'Environment names were changed to valid ones'],
  ['undecodable', 'The body is no OTLP'],
  ['too_large', 'The body is too large'],
  ['unsupported_media', 'Content type or encoding that is not OTLP'],
  ['method_not_allowed', 'Wrong method, or unknown encoding'],
  ['no_credential', 'No API key'],
  ['unknown_credential', 'An API key that is not known'],
  ['forbidden', 'A key that may not send'],
  ['rate_limited', 'Too many wrong keys'],
  ['overloaded', 'Told to come back later: too much at once'],
  ['shutting_down', 'Told to come back later: the platform stopped'],
  ['store_unavailable', 'Told to come back later: the store was away'],
  ['bad_environment_name', 'An environment name that is not valid'],
  ['bad_request', 'The connection ended inside the body, or a bad header'],
]);

export const reasonText = (reason: string): string => REASONS.get(reason) ?? reason;

export const recordsWord = (count: number): string =>
  count === 1 ? '1 record' : `${formatCount(count)} records`;

/** What the counts of the last hour cover: less than the hour after a start. */
export const hourText = (since: string, nowMs: number): string =>
  nowMs - Date.parse(since) < 3_600_000 ? `since the start ${sinceText(since, nowMs)}` : 'in the last hour';

/**
 * `3 s ago`; both times from the server, so that the clock of the browser does not matter. Without a time: what came
 * before the process started is not known.
 */
export function sinceText(time: string | null, nowMs: number): string {
  if (time === null) return 'none since the start';
  const agoMs = Math.max(0, nowMs - Date.parse(time));
  if (agoMs < 1_000) return 'now';
  return agoMs < 60_000 ? `${Math.floor(agoMs / 1_000)} s ago` : `${formatDuration(agoMs)} ago`;
}

const HOUR_MS = 3_600_000;

/**
 * What was refused, in a line: in the last hour it asks for a look; what was refused before, and not again since, is told
 * without alarm.
 */
export function refusedText(
  troubles: readonly Pick<IngestTrouble, 'what' | 'reason' | 'count' | 'lastTime'>[],
  nowMs: number,
): { readonly text: string; readonly isRecent: boolean } {
  const refusals = troubles.filter(({ what }) => what !== 'changed');
  const recent = refusals.filter(({ lastTime }) => nowMs - Date.parse(lastTime) < HOUR_MS);
  const isRecent = recent.length > 0;
  const told = isRecent ? recent : refusals;
  const [first, ...others] = told.toSorted((a, b) => Date.parse(b.lastTime) - Date.parse(a.lastTime));
  if (first === undefined) return { text: 'nothing refused', isRecent };
  const count = told.reduce((sum, trouble) => sum + trouble.count, 0);
  const reasons = new Set(others.map(({ reason }) => reason).filter((reason) => reason !== first.reason));
  const more = reasons.size > 0 ? ` and ${reasons.size} more` : '';
  return {
    text: `${formatCount(count)} refused: ${reasonText(first.reason)}${more}, last ${sinceText(first.lastTime, nowMs)}`,
    isRecent,
  };
}
