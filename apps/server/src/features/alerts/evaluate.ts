import type { AlertInput, AlertMatcher, AlertSource } from '@candela/contract';
import { asCandelaError, type Clock, type RequestContext } from '@candela/kernel';
import type { MetadataStore, Repositories, StoredAlert, StoredAlertEvent } from '@candela/metadata-store';
import type { AlertSources, EventKind, LevelKind, Occurrence, Reading } from './kinds/kind.ts';
import { kindOf } from './kinds/index.ts';
import { eventId, instantAt, summaryOf } from './plan.ts';
import { DELIVERY_QUEUE } from './queue.ts';
import { type GroupState, step, type Transition } from './step.ts';
import { switchRules } from './switch-rules.ts';
import { definitionOf, ERROR_KEY, type EventDetails, isSilenced, statesOf } from './stored.ts';

export interface EvaluateParts {
  readonly metadata: MetadataStore;
  readonly sources: AlertSources;
  readonly clock: Clock;
  readonly owner: string;
  contextOf(alert: StoredAlert): RequestContext;
}

/** After so many evaluations that failed, people are told. */
const TOLD_AFTER = 3;

type NewEvent = Omit<StoredAlertEvent, 'recordedAt'>;

/** What an evaluation wants to write. */
interface Outcome {
  readonly states: ReadonlyMap<string, GroupState>;
  readonly gone: readonly string[];
  readonly events: readonly NewEvent[];
  /** Events that are told to these destinations. */
  readonly messages: readonly { readonly eventId: string; readonly destinations: readonly string[] }[];
  readonly transitions: readonly Transition[];
}

/** Readings of a kind with states. @throws what its queries throw */
export function readLevel(
  sources: AlertSources,
  source: AlertSource,
  asked: Parameters<LevelKind<'threshold'>['read']>[2],
) {
  const kind = kindOf(source.kind) as unknown as LevelKind<'threshold'>;
  return kind.read(sources, source as Extract<AlertSource, { kind: 'threshold' }>, asked);
}

/** Occurrences of a kind of single events. @throws what its queries throw */
export function readEvents(
  sources: AlertSources,
  source: AlertSource,
  asked: Parameters<EventKind<'exception'>['read']>[2],
): Promise<readonly Occurrence[]> {
  const kind = kindOf(source.kind) as unknown as EventKind<'exception'>;
  return kind.read(sources, source as Extract<AlertSource, { kind: 'exception' }>, asked);
}

/** What stands for one occurrence in the history. */
const occurrenceEvent = (
  stored: StoredAlert,
  alert: AlertInput,
  one: Occurrence,
  silenced: boolean,
): NewEvent => {
  const details: EventDetails = {
    labels: one.labels,
    value: null,
    summary:
      alert.summary === ''
        ? `${alert.name}: ${one.text}`.slice(0, 1_000)
        : summaryOf(alert, { status: 'occurred', labels: one.labels, value: null, limit: undefined }),
    silenced,
    link: one.link,
  };
  const key = eventId(stored.id, one.key, 0, 'occurred').slice(0, 32);
  return {
    // Without the time: the same key is told of once.
    id: eventId(stored.id, one.key, 0, 'occurred'),
    alertId: stored.id,
    groupKey: key,
    status: 'occurred',
    at: one.at,
    details: JSON.stringify(details),
  };
};

/** Evaluates one alert that this process holds, for the newest instant. Returns how many messages it put out. */
export async function evaluateAlert(
  parts: EvaluateParts,
  stored: StoredAlert,
  signal: AbortSignal,
): Promise<number> {
  const { metadata, clock } = parts;
  const alert = definitionOf(stored);
  const interval = alert.intervalSeconds * 1_000;
  const instant = instantAt(alert.intervalSeconds, clock.now());
  const nextAt = instant + interval;
  if (stored.lastAt !== null && instant <= stored.lastAt) {
    await metadata.alerts.release(stored.id, parts.owner, stored.lastAt + interval);
    return 0;
  }
  const end = instant - alert.delaySeconds * 1_000;
  const silences = (await metadata.alertSilences.active(stored.projectId)).map(
    ({ matchers }) => JSON.parse(matchers) as AlertMatcher[],
  );
  const rows = await metadata.alerts.states(stored.projectId, stored.id);
  const before = statesOf(rows);
  const quiet = (labels: GroupState['labels']) => isSilenced(silences, { ...alert, id: stored.id }, labels);
  let outcome: Outcome;
  let error: string | null = null;
  try {
    outcome = await (kindOf(alert.source.kind).mode === 'level'
      ? levelOutcome({ parts, stored, alert, end, before, quiet, signal })
      : eventOutcome({ parts, stored, alert, end, quiet, signal }));
  } catch (thrown) {
    if (signal.aborted) {
      await metadata.alerts.release(stored.id, parts.owner, clock.now());
      return 0;
    }
    const { code, message } = asCandelaError(thrown);
    error = code === 'internal' ? 'The query failed.' : message;
    // An error neither fires nor resolves: states stay as they are.
    outcome = { states: new Map(), gone: [], events: [], messages: [], transitions: [] };
  }
  const errorCount = error === null ? 0 : stored.errorCount + 1;
  const hadError = rows.some(({ groupKey }) => groupKey === ERROR_KEY);
  const trouble = troubleOf(stored, alert, { error, errorCount, hadError, instant, silenced: quiet([]) });
  return metadata.change(undefined, async (repositories) => {
    // Somebody may have acknowledged a group since it was read.
    const fresh = statesOf(await repositories.alerts.states(stored.projectId, stored.id));
    const written = await repositories.alerts.settle(stored.projectId, {
      alertId: stored.id,
      owner: parts.owner,
      at: instant,
      nextAt,
      error,
      errorCount,
      states: [
        ...Array.from(outcome.states, ([groupKey, state]) => ({
          groupKey,
          status: state.status,
          state: JSON.stringify(acknowledged(state, fresh.get(groupKey))),
        })),
        ...trouble.states,
      ],
      gone: [...outcome.gone, ...trouble.gone],
    });
    if (!written) return 0;
    const added = await repositories.alerts.addEvents(stored.projectId, [
      ...outcome.events,
      ...trouble.events,
    ]);
    await switchRules(repositories, stored, alert, outcome.transitions);
    return putOut(repositories, stored, alert, {
      messages: [...outcome.messages, ...trouble.messages],
      // A single event that the history has already was told before.
      isOld: (id) => outcome.events.some((event) => event.id === id) && !added.has(id),
    });
  });
}

/** A state with what people said of the same one meanwhile. */
const acknowledged = (state: GroupState, now: GroupState | undefined): GroupState =>
  now !== undefined && now.status === state.status && now.since === state.since
    ? { ...state, acknowledgedBy: now.acknowledgedBy }
    : state;

/** Puts what is to be told into the messages of the destinations. */
async function putOut(
  repositories: Repositories,
  stored: StoredAlert,
  alert: AlertInput,
  what: { readonly messages: Outcome['messages']; readonly isOld: (id: string) => boolean },
): Promise<number> {
  const byDestination = new Map<string, string[]>();
  for (const { eventId: id, destinations } of what.messages) {
    if (what.isOld(id)) continue;
    for (const destination of destinations) {
      byDestination.set(destination, [...(byDestination.get(destination) ?? []), id]);
    }
  }
  let put = 0;
  for (const [destinationId, events] of byDestination) {
    const made = await repositories.alertDeliveries.add({
      projectId: stored.projectId,
      alertId: stored.id,
      destinationId,
      events,
      waitMs: alert.groupWaitSeconds * 1_000,
      intervalMs: alert.groupIntervalSeconds * 1_000,
    });
    put += 1;
    await repositories.work.enqueue(
      DELIVERY_QUEUE,
      made.map(({ id, dueAt }) => ({ key: id, group: stored.projectId, payload: {}, notBefore: dueAt })),
    );
  }
  return put;
}

interface Around {
  readonly parts: EvaluateParts;
  readonly stored: StoredAlert;
  readonly alert: AlertInput;
  readonly end: number;
  readonly quiet: (labels: GroupState['labels']) => boolean;
  readonly signal: AbortSignal;
}

async function levelOutcome(
  around: Around & { readonly before: ReadonlyMap<string, GroupState> },
): Promise<Outcome> {
  const { parts, stored, alert, end, before, quiet, signal } = around;
  const { readings } = await readLevel(parts.sources, alert.source, {
    context: parts.contextOf(stored),
    end,
    known: Array.from(before.values(), ({ labels }) => labels),
    minSamples: alert.minSamples,
    allowUncalibrated: alert.allowUncalibrated,
    signal,
  });
  const { states, gone, transitions } = step(alert, before, readings, end);
  const events: NewEvent[] = [];
  const messages: Outcome['messages'][number][] = [];
  const next = new Map(states);
  const conditions = new Map<string, Reading['condition']>(
    transitions.flatMap(({ key, condition }) => (condition === undefined ? [] : [[key, condition] as const])),
  );
  const now = parts.clock.now();
  const tell = (key: string, state: GroupState, id: string) => {
    if (alert.destinations.length === 0) return;
    messages.push({ eventId: id, destinations: alert.destinations });
    next.set(key, { ...state, told: { destinations: alert.destinations, at: now } });
  };
  for (const transition of transitions) {
    const { key, labels, change, at, value, told } = transition;
    const id = eventId(stored.id, key, at, change);
    const silenced = quiet(labels);
    const details: EventDetails = {
      labels,
      value,
      summary: summaryOf(alert, { status: change, labels, value, limit: conditions.get(key)?.value }),
      silenced,
      link: null,
    };
    events.push({
      id,
      alertId: stored.id,
      groupKey: key,
      status: change,
      at,
      details: JSON.stringify(details),
    });
    const state = states.get(key);
    if (change === 'resolved') {
      // Whoever heard that it fires hears that it ends, and nobody else.
      if (told !== undefined && !silenced) messages.push({ eventId: id, destinations: told.destinations });
    } else if (state !== undefined && !silenced) tell(key, state, id);
  }
  const fresh = new Set(transitions.map(({ key }) => key));
  for (const [key, state] of states) {
    if (fresh.has(key) || (state.status !== 'firing' && state.status !== 'no_data')) continue;
    if (state.acknowledgedBy !== undefined || quiet(state.labels)) continue;
    const change = state.status === 'firing' ? 'firing' : 'no_data';
    const id = eventId(stored.id, key, state.since, change);
    // A silence that ended, or the time to say it again.
    const isDue =
      state.told === undefined ||
      (alert.repeatSeconds > 0 && now - state.told.at >= alert.repeatSeconds * 1_000);
    if (isDue) tell(key, state, id);
  }
  // States that are fine and unchanged are not written again: most of them are, at every evaluation.
  const changed = new Map(
    Array.from(next).filter(([key, state]) => {
      const was = before.get(key);
      return was === undefined || state.status !== 'ok' || was.status !== 'ok' || state.missed !== was.missed;
    }),
  );
  return { states: changed, gone, events, messages, transitions };
}

async function eventOutcome({ parts, stored, alert, end, quiet, signal }: Around): Promise<Outcome> {
  const { overlapMs } = kindOf(alert.source.kind) as unknown as EventKind<'exception'>;
  const last =
    stored.lastAt === null ? end - alert.intervalSeconds * 1_000 : stored.lastAt - alert.delaySeconds * 1_000;
  const since = Math.min(last, end - 1);
  const found = await readEvents(parts.sources, alert.source, {
    context: parts.contextOf(stored),
    from: since - (stored.lastAt === null ? 0 : overlapMs),
    to: end,
    since,
    signal,
  });
  const events = found.map((one) => occurrenceEvent(stored, alert, one, quiet(one.labels)));
  const messages = found.flatMap((one, at) =>
    alert.destinations.length === 0 || quiet(one.labels)
      ? []
      : [{ eventId: events[at]?.id ?? '', destinations: alert.destinations }],
  );
  return { states: new Map(), gone: [], events, messages, transitions: [] };
}

/** An alert that cannot be evaluated is told of by itself, once, and when it can be again. */
function troubleOf(
  stored: StoredAlert,
  alert: AlertInput,
  now: {
    readonly error: string | null;
    readonly errorCount: number;
    readonly hadError: boolean;
    readonly instant: number;
    readonly silenced: boolean;
  },
) {
  const nothing = { states: [], gone: [], events: [], messages: [] };
  const starts = now.error !== null && now.errorCount === TOLD_AFTER && !now.hadError;
  const ends = now.error === null && now.hadError;
  if (!starts && !ends) return nothing;
  const status = starts ? 'error' : 'resolved';
  const id = eventId(stored.id, ERROR_KEY, now.instant, status);
  const details: EventDetails = {
    labels: [],
    value: null,
    summary: starts
      ? `${alert.name}: cannot be evaluated. ${now.error ?? ''}`.slice(0, 1_000)
      : `${alert.name}: can be evaluated again`,
    silenced: now.silenced,
    link: null,
  };
  const state: GroupState = {
    labels: [],
    status: 'ok',
    since: now.instant,
    value: null,
    trueAt: null,
    missed: 0,
  };
  return {
    states: starts ? [{ groupKey: ERROR_KEY, status: 'error', state: JSON.stringify(state) }] : [],
    gone: ends ? [ERROR_KEY] : [],
    events: [
      {
        id,
        alertId: stored.id,
        groupKey: ERROR_KEY,
        status,
        at: now.instant,
        details: JSON.stringify(details),
      },
    ],
    messages: now.silenced ? [] : [{ eventId: id, destinations: alert.destinations }],
  };
}
