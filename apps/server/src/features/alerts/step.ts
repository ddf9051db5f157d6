import { createHash } from 'node:crypto';
import type { AlertCondition, AlertInput, AlertStatus } from '@candela/contract';
import type { Labels, Reading } from './kinds/kind.ts';

/** The state of one group. Times are event time, epoch milliseconds. */
export interface GroupState {
  readonly labels: Labels;
  readonly status: Exclude<AlertStatus, 'error'>;
  readonly since: number;
  readonly value: number | null;
  /** When it was true last. */
  readonly trueAt: number | null;
  /** Evaluations without data, one after another. */
  readonly missed: number;
  /** Destinations that were told that it fires, and when the last of them was: wall clock. */
  readonly told?: { readonly destinations: readonly string[]; readonly at: number } | undefined;
  readonly acknowledgedBy?: string | undefined;
}

export type Change = 'firing' | 'resolved' | 'no_data';

/** A group that came into another state worth telling. */
export interface Transition {
  readonly key: string;
  readonly labels: Labels;
  readonly change: Change;
  readonly at: number;
  readonly value: number | null;
  readonly condition: AlertCondition | undefined;
  /** It is told to those who were told that it fired. */
  readonly told: GroupState['told'];
}

type Policy = Pick<AlertInput, 'forSeconds' | 'keepFiringSeconds' | 'noData' | 'missingAfter'>;

/** Names a group in 32 hex digits. */
export const groupKey = (labels: Labels): string =>
  createHash('sha256').update(JSON.stringify(labels)).digest('hex').slice(0, 32);

function beyond(op: AlertCondition['op'], value: number, limit: number): boolean {
  switch (op) {
    case '>':
      return value > limit;
    case '>=':
      return value >= limit;
    case '<':
      return value < limit;
    case '<=':
      return value <= limit;
  }
}

/** Whether a condition holds; what fires already goes on until its recovery value. */
const holds = ({ op, value: limit, recovery }: AlertCondition, value: number, fires: boolean): boolean =>
  beyond(op, value, fires && recovery !== undefined ? recovery : limit);

const isTold = ({ status }: Pick<GroupState, 'status'>): boolean =>
  status === 'firing' || status === 'no_data';

/** One group at one instant. Its status changes at most once. */
function stepGroup(
  policy: Policy,
  before: GroupState | undefined,
  reading: Pick<Reading, 'labels' | 'value' | 'condition'> | undefined,
  at: number,
): GroupState | undefined {
  const value = reading?.value ?? null;
  const labels = before?.labels ?? reading?.labels ?? [];
  if (reading === undefined || value === null) {
    if (before === undefined) {
      if (reading === undefined && policy.noData !== 'alert') return undefined;
      return { labels, status: 'ok', since: at, value: null, trueAt: null, missed: 1 };
    }
    const missed = before.missed + 1;
    if (missed < policy.missingAfter || policy.noData === 'keep') return { ...before, missed };
    const status = policy.noData === 'alert' ? 'no_data' : 'ok';
    return before.status === status
      ? { ...before, missed }
      : { ...before, status, since: at, value: null, trueAt: null, missed };
  }
  const fires = before?.status === 'firing';
  if (holds(reading.condition, value, fires)) {
    const next = { labels, value, trueAt: at, missed: 0 };
    if (before !== undefined && fires) return { ...before, ...next };
    const waits = policy.forSeconds * 1_000;
    const since = before?.status === 'pending' ? before.since : at;
    const hasWaited = at - since >= waits;
    return {
      ...next,
      status: hasWaited ? 'firing' : 'pending',
      since: hasWaited ? at : since,
      // A group without data that fires now is another thing to tell.
      ...(before?.status === 'no_data' ? { told: before.told } : {}),
    };
  }
  if (
    before !== undefined &&
    fires &&
    at - (before.trueAt ?? before.since) < policy.keepFiringSeconds * 1_000
  ) {
    return { ...before, value, missed: 0 };
  }
  if (before?.status === 'ok') return { ...before, value, missed: 0 };
  return { labels, status: 'ok', since: at, value, trueAt: before?.trueAt ?? null, missed: 0 };
}

export interface Step {
  /** All groups that have a state after it, by key. */
  readonly states: ReadonlyMap<string, GroupState>;
  /** Keys of groups that are followed no longer. */
  readonly gone: readonly string[];
  readonly transitions: readonly Transition[];
}

/** Groups that are fine and report no more are forgotten after so many evaluations. */
const FORGOTTEN_AFTER = 10;

/**
 * All groups of an alert at one instant. Pure: the preview and what really happens are the same function.
 * @param at end of the window in event time
 */
export function step(
  policy: Policy,
  before: ReadonlyMap<string, GroupState>,
  readings: readonly Reading[],
  at: number,
): Step {
  const byKey = new Map(readings.map((reading) => [groupKey(reading.labels), reading]));
  // Without any group there is still one thing to say: that there is nothing.
  const nothing = groupKey([]);
  if (policy.noData === 'alert' && (readings.length === 0 || before.has(nothing)) && !byKey.has(nothing)) {
    const reading = { labels: [], value: readings.length === 0 ? null : 0, condition: NEVER };
    byKey.set(nothing, reading);
  }
  const states = new Map<string, GroupState>();
  const gone: string[] = [];
  const transitions: Transition[] = [];
  for (const key of new Set([...before.keys(), ...byKey.keys()])) {
    const was = before.get(key);
    const reading = byKey.get(key);
    const now = stepGroup(policy, was, reading, at);
    if (now === undefined) continue;
    const told = (what: Change) =>
      transitions.push({
        key,
        labels: now.labels,
        change: what,
        at,
        value: now.value,
        condition: reading?.condition,
        told: was?.told,
      });
    if (now.status !== was?.status) {
      if (isTold(now)) told(now.status === 'firing' ? 'firing' : 'no_data');
      else if (was !== undefined && isTold(was)) told('resolved');
    }
    if (now.status === 'ok' && now.missed >= FORGOTTEN_AFTER + policy.missingAfter) gone.push(key);
    else states.set(key, now);
  }
  return { states, gone, transitions };
}

const NEVER: AlertCondition = { op: '>', value: Number.MAX_VALUE };
