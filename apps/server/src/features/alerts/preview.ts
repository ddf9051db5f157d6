import { ALERT_LIMITS, type AlertInput, type AlertPreview } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { readEvents, readLevel } from './evaluate.ts';
import { kindOf } from './kinds/index.ts';
import type { AlertSources, Measured } from './kinds/kind.ts';
import { instantAt, summaryOf } from './plan.ts';
import { iso } from './stored.ts';
import { groupKey, type GroupState, step } from './step.ts';

/** Groups and events that a preview lists. */
const SHOWN_GROUPS = 20;
const SHOWN_EVENTS = 200;
const AT_ONCE = 4;
/** Every n-th instant is looked at first, then those between them, and those between these. */
const STRIDES = [8, 4, 2, 1] as const;
/** Instants that are looked at whatever it takes. */
const FEW = 50;
/** What looking may take; each pass takes about as long as all before it. */
const BUDGET_MS = 8_000;

/**
 * What an alert would have done: the evaluation itself at instants of the past. Where there are more instants than are
 * looked at, or each of them takes long, it looks at every n-th.
 */
export async function previewAlert(
  sources: AlertSources,
  alert: AlertInput,
  asked: {
    readonly context: RequestContext;
    readonly from: number;
    readonly to: number;
    readonly signal: AbortSignal;
    /** Milliseconds that looking may take. */
    readonly budgetMs?: number;
  },
): Promise<AlertPreview> {
  const { context, signal, budgetMs = BUDGET_MS } = asked;
  const interval = alert.intervalSeconds * 1_000;
  const last = instantAt(alert.intervalSeconds, asked.to);
  const count = Math.max(1, Math.floor((last - asked.from) / interval));
  const finest = Math.ceil(count / ALERT_LIMITS.previewInstants) * interval;
  const instants = Array.from(
    { length: Math.floor((last - asked.from) / finest) + 1 },
    (_, n) => last - n * finest,
  )
    .filter((at) => at > 0)
    .toReversed();
  const delay = alert.delaySeconds * 1_000;
  if (kindOf(alert.source.kind).mode === 'events') {
    const from = (instants[0] ?? last) - delay;
    const found = await readEvents(sources, alert.source, {
      context,
      from,
      to: last - delay,
      since: from,
      signal,
    });
    const events = found
      .toSorted((a, b) => a.at - b.at)
      .slice(-SHOWN_EVENTS)
      .map((one) => ({
        at: iso(one.at),
        status: 'occurred' as const,
        labels: Object.fromEntries(one.labels),
        value: null,
        summary: one.text,
      }));
    return { ...headOf(instants, finest), events, groups: [], notes: [] };
  }
  const seen = await measuredAt(sources, alert, { context, signal, instants, delay, budgetMs });
  const every = finest * seen.stride;
  const notes =
    every === interval
      ? []
      : [
          `Looked at every ${every / 1_000} s instead of every ${alert.intervalSeconds} s. A shorter time is looked at more closely.`,
        ];
  return {
    ...headOf(seen.instants, every),
    ...walk(alert, seen.instants, seen.all, { every, delay }),
    notes: [...notes, ...notesOf(seen.all)],
  };
}

/** Which time was looked at, and how closely. */
const headOf = (instants: readonly number[], every: number) => ({
  from: iso(instants[0] ?? 0),
  to: iso(instants.at(-1) ?? 0),
  everySeconds: every / 1_000,
  instants: instants.length,
  threshold: null,
});

const notesOf = (all: readonly Measured[]): string[] => [
  ...new Set(all.flatMap(({ note }) => (note === undefined ? [] : [note])).slice(-1)),
];

/** What was measured at instants, the newest of them among them, and the n-th of the given ones each is. */
interface Seen {
  readonly stride: number;
  readonly instants: readonly number[];
  readonly all: readonly Measured[];
}

async function measuredAt(
  sources: AlertSources,
  alert: AlertInput,
  asked: {
    readonly context: RequestContext;
    readonly signal: AbortSignal;
    readonly instants: readonly number[];
    readonly delay: number;
    readonly budgetMs: number;
  },
): Promise<Seen> {
  const { instants, delay, context, signal, budgetMs } = asked;
  const started = performance.now();
  const found = new Map<number, Measured>();
  const lane = async (waiting: number[]): Promise<void> => {
    for (let at = waiting.shift(); at !== undefined && !signal.aborted; at = waiting.shift()) {
      const end = at - delay;
      const { minSamples, allowUncalibrated } = alert;
      const how = { context, end, known: [], minSamples, allowUncalibrated, signal };
      found.set(at, await readLevel(sources, alert.source, how));
    }
  };
  let stride = 1;
  let wanted = instants;
  for (const next of STRIDES) {
    const nth = instants.filter((_, index) => (instants.length - 1 - index) % next === 0);
    // The next pass takes as long as all before it.
    if (nth.length > FEW && found.size > 0 && (performance.now() - started) * 2 > budgetMs) break;
    [stride, wanted] = [next, nth];
    const waiting = nth.filter((at) => !found.has(at));
    await Promise.all(Array.from({ length: AT_ONCE }, () => lane(waiting)));
  }
  return { stride, instants: wanted, all: wanted.map((at) => found.get(at) ?? { readings: [] }) };
}

/** The states along the instants: the same step as the evaluation's. */
function walk(
  alert: AlertInput,
  instants: readonly number[],
  all: readonly Measured[],
  { every, delay }: { readonly every: number; readonly delay: number },
): Pick<AlertPreview, 'events' | 'groups' | 'threshold'> {
  let states: ReadonlyMap<string, GroupState> = new Map();
  const events: AlertPreview['events'][number][] = [];
  const groups = new Map<string, AlertPreview['groups'][number]>();
  let threshold: number | null = null;
  for (const [index, instant] of instants.entries()) {
    const at = instant - delay;
    const readings = withKnown(alert, all[index]?.readings ?? [], states);
    threshold = readings[0]?.condition.value ?? threshold;
    const stepped = step(alert, states, readings, at);
    for (const { change, labels, value, condition } of stepped.transitions) {
      events.push({
        at: iso(at),
        status: change,
        labels: Object.fromEntries(labels),
        value,
        summary: summaryOf(alert, { status: change, labels, value, limit: condition?.value }),
      });
    }
    const values = new Map(readings.map((reading) => [groupKey(reading.labels), reading.value]));
    for (const [key, state] of stepped.states) {
      const known = groups.get(key);
      if (known === undefined && groups.size >= SHOWN_GROUPS) continue;
      const group = known ?? { labels: Object.fromEntries(state.labels), spans: [], points: [] };
      groups.set(key, group);
      group.points.push([at, values.get(key) ?? null]);
      const open = group.spans.at(-1);
      const to = iso(at + every);
      if (open?.status === state.status) open.to = to;
      else group.spans.push({ status: state.status, from: iso(at), to });
    }
    states = stepped.states;
  }
  return { events: events.slice(-SHOWN_EVENTS), groups: [...groups.values()], threshold };
}

/** Kinds whose groups stay known, though they report nothing: they are at 0 then, as in an evaluation. */
function withKnown(
  { source }: AlertInput,
  readings: Measured['readings'],
  states: ReadonlyMap<string, GroupState>,
): Measured['readings'] {
  if (source.kind !== 'budget' && source.kind !== 'no_data' && source.kind !== 'ingest_stopped')
    return readings;
  const there = new Set(readings.map(({ labels }) => groupKey(labels)));
  const condition = readings[0]?.condition;
  const absent = Array.from(states.values()).filter(({ labels }) => !there.has(groupKey(labels)));
  return [
    ...readings,
    ...absent.map(({ labels }) => ({
      labels,
      value: 0,
      condition:
        source.kind === 'budget'
          ? { op: '>=' as const, value: Number(labels.at(-1)?.[1] ?? 0) }
          : (condition ?? { op: '<' as const, value: 1 }),
    })),
  ];
}
