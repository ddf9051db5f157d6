import {
  type BodyOf,
  canonicalFilter,
  type Filter,
  parseFilterOrFail,
  type ROUTES,
  type RecordKind,
} from '@candela/contract';
import { type Clock, fail, parseTime, type RequestContext } from '@candela/kernel';
import type { ListedTrace, Window } from '@candela/telemetry-store';

type WindowBody = Pick<BodyOf<typeof ROUTES.searchTraces>, 'from' | 'to' | 'filter' | 'q'>;

const MAX_MS = 8_640_000_000_000;
const NANOS_PER_MS = 1_000_000n;
/** The store's time column ends here (2262). */
const LAST_NANOS = 2n ** 63n - 1n;

/** The window of a search in nanoseconds, `to` exclusive but never before `from`. @throws bad_query */
export function windowOf(body: Pick<WindowBody, 'from' | 'to'>, clock: Clock): Window {
  const now = clock.now();
  const from = point('from', body.from, now);
  const to = point('to', body.to, now);
  if (to <= from) throw fail('bad_query', { detail: '"from" must lie before "to".' });
  return { from, to };
}

/** The context of a request with the time range that it names, in its body or its query; one that is wrong is the route's to refuse. */
export function withWindow<C extends RequestContext | undefined>(
  context: C,
  parts: readonly unknown[],
  now: number,
): C {
  if (context === undefined) return context;
  const named = parts.flatMap((part) =>
    typeof part === 'object' && part !== null ? [part, (part as { window?: unknown }).window] : [],
  );
  for (const part of named) {
    if (typeof part !== 'object' || part === null) continue;
    const { from, to = 'now' } = part as { from?: unknown; to?: unknown };
    if (!isMoment(from) || !isMoment(to)) continue;
    const [first, last] = [parseTime(from, now), parseTime(to, now)];
    if (first === undefined || last === undefined || first < 0 || last > MAX_MS || last <= first) continue;
    return { ...context, window: { from: nanosOf(first), to: nanosOf(last) + NANOS_PER_MS } };
  }
  return context;
}

const isMoment = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';
const nanosOf = (ms: number): bigint => bounded(BigInt(Math.floor(ms)) * NANOS_PER_MS);

/** What a page of a person's list may take before it is answered with the rows it has: half of what feels immediate. */
const EARLY_MS = 50;

/** How long a search looks for a full page; undefined as long as it takes. */
export const patienceOf = ({
  early,
}: Pick<BodyOf<typeof ROUTES.searchTraces>, 'early'>): number | undefined => (early ? EARLY_MS : undefined);

/** A point in time as requests write it, epoch milliseconds. @throws bad_query */
export function momentOf(name: string, value: string | number, clock: Clock): number {
  return readMoment(name, value, clock.now());
}

function readMoment(name: string, value: string | number, now: number): number {
  const ms = parseTime(value, now);
  if (ms === undefined) {
    throw fail('bad_query', {
      detail: `"${name}" is not a time. Use ISO 8601 (2026-11-20T10:00:00Z), "now", epoch milliseconds or "-24h": a number of s, m, h, d or w before now.`,
    });
  }
  if (ms < 0 || ms > MAX_MS) {
    const last = new Date(MAX_MS).getUTCFullYear();
    throw fail('bad_query', {
      detail: `"${name}" lies outside of the years that can be asked for: 1970 to ${last}.`,
    });
  }
  return ms;
}

function point(name: string, value: string | number, now: number): bigint {
  const ms = readMoment(name, value, now);
  // `now` includes what arrives in this very millisecond.
  const nanos =
    BigInt(Math.floor(ms)) * NANOS_PER_MS + (name === 'to' && value === 'now' ? NANOS_PER_MS : 0n);
  return bounded(nanos);
}

/** A row of a list of traces, as it comes back for its preview. Times that the store cannot hold lead to nothing. */
export function listedTrace(row: BodyOf<typeof ROUTES.tracePreviews>['traces'][number]): ListedTrace {
  const start = BigInt(Math.max(0, Date.parse(row.startTime))) * NANOS_PER_MS;
  const end = start + BigInt(Math.ceil(row.durationMs) + 1) * NANOS_PER_MS;
  return {
    traceId: row.traceId.toLowerCase(),
    openingNs: row.openingNs === null ? null : bounded(BigInt(row.openingNs)),
    during: { from: bounded(start), to: bounded(end) },
  };
}

const bounded = (nanos: bigint): bigint => (nanos > LAST_NANOS ? LAST_NANOS : nanos);

/** A moment as answers write it. */
export const isoOf = (nanos: bigint): string => new Date(Number(nanos / NANOS_PER_MS)).toISOString();

/** A window as answers write it. */
export const period = ({ from, to }: Window) => ({ from: isoOf(from), to: isoOf(to) });

/** Filter and search text together: both must hold. @throws bad_query */
export function filterOf(body: Pick<WindowBody, 'filter' | 'q'>, signal: RecordKind): Filter | undefined {
  const parsed = body.q === undefined ? undefined : parseFilterOrFail(body.q, signal);
  if (body.filter === undefined) return parsed;
  const given = canonicalFilter(body.filter, signal);
  return parsed === undefined ? given : { and: [given, parsed] };
}
