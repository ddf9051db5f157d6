import {
  ACTIVITY_SORTS,
  EXCEPTION_SORTS,
  LOG_LIMITS,
  LOG_SORTS,
  SPAN_SORTS,
  TRACE_SORTS,
  USER_SORTS,
} from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { LIMITS, type QueryBench } from '../core/testing.ts';
import { createLogQueries } from '../index.ts';
import { anyAsked, fieldsOf } from './filters.ts';
import {
  byKeys,
  type ExceptionOf,
  exceptionsIn,
  inWindow,
  type LogOf,
  matching,
  shownOf,
  type SpanOf,
} from './model.ts';
import type { Question } from './question.ts';
import type { Random } from './random.ts';

/** Every list, in every order, all of its pages: each row once, in its place, with its figures. */

type Key = readonly (bigint | number | string)[];

interface Page {
  readonly data: readonly unknown[];
  readonly nextCursor: string | null;
}

/** All rows of a list, page by page. */
export async function allOf<P extends Page>(
  page: (cursor: string | undefined) => Promise<P>,
): Promise<P['data'][number][]> {
  const rows: P['data'][number][] = [];
  let cursor: string | undefined;
  for (let n = 0; n < 200; n += 1) {
    const { data, nextCursor } = await page(cursor);
    rows.push(...data);
    if (nextCursor === null) return rows;
    cursor = nextCursor;
  }
  throw new Error('The list has no end');
}

/** A size of pages that makes a few of them out of that many rows. */
const pageSize = (random: Random, rows: number): number =>
  Math.min(500, Math.max(1, Math.ceil(rows / random.int(1, 12)) + random.int(-1, 1)));

/** Full pages, or pages that are answered as soon as they have a row. */
const anyPatience = (random: Random): number | undefined => random.pick([undefined, undefined, 0]);

const ordered = <T>(rows: readonly T[], sort: string, key: (row: T) => Key): T[] => {
  const sign = sort.startsWith('-') ? -1 : 1;
  return rows.toSorted((a, b) => sign * byKeys(key(a), key(b)));
};

const msOf = (nanos: bigint): number => Number(nanos / 1_000n) / 1_000;
export const isoOf = (nanos: bigint): string => new Date(Number(nanos / 1_000_000n)).toISOString();
export const first = (times: readonly bigint[]): bigint => times.reduce((a, b) => (a < b ? a : b));
export const last = (times: readonly bigint[]): bigint => times.reduce((a, b) => (a > b ? a : b));
export const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
const distinct = (values: readonly string[]): string[] => [...new Set(values)].filter((one) => one !== '');
const endOf = (span: SpanOf): bigint => span.ns + span.durationNs;
const inputOf = ({ tokens }: SpanOf): number => tokens.input + tokens.read + tokens.write;
const outputOf = ({ tokens }: SpanOf): number => tokens.output + tokens.reasoning;
export const counting = (spans: readonly SpanOf[]): SpanOf[] => spans.filter(({ counts }) => counts);
const failed = (spans: readonly SpanOf[]): number =>
  spans.filter(({ text }) => text['status'] === 'error').length;

/** Tokens and cost as they are shown: null where nobody reported any. */
export function usage(spans: readonly SpanOf[]): (number | null)[] {
  const own = counting(spans);
  const costs = own.flatMap(({ cost }) => cost ?? []);
  return [
    own.length === 0 ? null : sum(own.map(inputOf)),
    own.length === 0 ? null : sum(own.map(outputOf)),
    costs.length === 0 ? null : sum(costs),
  ];
}

/** What rows of users and sessions begin with. */
export function activityFigures(spans: readonly SpanOf[]): (string | number)[] {
  const start = first(spans.map(({ ns }) => ns));
  const end = last(spans.map(endOf));
  const traces = new Set(spans.map(({ traceId }) => traceId)).size;
  return [
    isoOf(start),
    isoOf(end),
    msOf(end - start),
    traces,
    spans.length,
    counting(spans).length,
    failed(spans),
  ];
}

/** Cost in ten decimals of a dollar, which lists are sorted by; -1 where nothing has a price. */
function costUnits(spans: readonly SpanOf[]): number {
  const costs = counting(spans).flatMap(({ cost }) => cost ?? []);
  return costs.length === 0 ? -1 : sum(costs.map((cost) => Math.round(cost * 1e10)));
}

const spansList: Question = async (ground, random) => {
  const asked = anyAsked(random, 'spans', ground.spans);
  const sort = random.pick(SPAN_SORTS);
  const fields = random.chance(0.5)
    ? random.some(
        fieldsOf('spans').filter((name) => !/_ms$|tokens|cost|^text$|prompt$|completion$/.test(name)),
        1,
        4,
      )
    : undefined;
  const rows = matching(ground.spans, asked);
  const limit = pageSize(random, rows.length);
  const patienceMs = anyPatience(random);
  const keys = {
    start: () => [],
    duration: ({ durationNs }: SpanOf) => [durationNs],
    cost: ({ cost }: SpanOf) => [cost ?? -1],
    tokens: (span: SpanOf) => [inputOf(span) + outputOf(span)],
  };
  const keyOf = keys[sort.replace('-', '') as keyof typeof keys];
  const got = await allOf((cursor) =>
    ground.queries.searchSpans(ground.of(asked), {
      ...asked,
      sort,
      limit,
      cursor,
      patienceMs,
      ...(fields && { fields }),
    }),
  );
  const valueOf = (span: SpanOf, name: string): string | null => {
    const value = shownOf(span, name);
    if (name.startsWith('attributes.'))
      return span.attributes.has(name.slice(11)) ? [...value].slice(0, 300).join('') : null;
    return value === '' && !/^(?:resource|scope)\./.test(name) ? null : value;
  };
  return {
    asked: { ...asked, sort, limit, fields },
    got: got.map((row) => [
      row.traceId,
      row.spanId,
      row.startTime,
      row.durationMs,
      row.model,
      row.costUsd,
      row.fields,
    ]),
    want: ordered(rows, sort, (span) => [...keyOf(span), span.ns, span.traceId, span.spanId]).map((span) => [
      span.traceId,
      span.spanId,
      isoOf(span.ns),
      msOf(span.durationNs),
      span.text['model'] === '' ? null : span.text['model'],
      span.cost,
      fields?.map((name) => valueOf(span, name)),
    ]),
  };
};

const HOUR = 3_600_000_000_000n;

const tracesList: Question = async (ground, random) => {
  const asked = anyAsked(random, 'spans', ground.spans);
  const { window } = asked;
  const sort = random.pick(TRACE_SORTS);
  const by = sort.replace('-', '');
  const found = Map.groupBy(matching(ground.spans, asked), ({ traceId }) => traceId);
  const hours = { from: (window.from / HOUR) * HOUR, to: ((window.to + HOUR - 1n) / HOUR) * HOUR };
  const kept = ground.spans.filter(
    (span) =>
      found.has(span.traceId) &&
      (asked.environment === undefined || span.environment === asked.environment) &&
      (by === 'start' || inWindow(span, hours)),
  );
  const traces = [...Map.groupBy(kept, ({ traceId }) => traceId)].map(([traceId, spans]) => {
    const start = first(spans.map(({ ns }) => ns));
    const length = last(spans.map(endOf)) - start;
    const tokens = sum(counting(spans).map((span) => inputOf(span) + outputOf(span)));
    const key: Record<string, Key> = {
      start: [first((found.get(traceId) ?? []).map(({ ns }) => ns)), traceId],
      duration: [length],
      cost: [costUnits(spans)],
      tokens: [tokens],
      spanCount: [spans.length],
    };
    const hash = by === 'start' ? [] : [spans[0]?.traceHash ?? 0n];
    const models = distinct(spans.map(({ text }) => text['model'] ?? ''));
    return {
      key: [...(key[by] ?? []), ...hash],
      shown: [
        traceId,
        isoOf(start),
        msOf(length),
        spans.length,
        failed(spans),
        models.sort(),
        ...usage(spans),
      ],
    };
  });
  const limit = pageSize(random, traces.length);
  const patienceMs = anyPatience(random);
  const got = await allOf((cursor) =>
    ground.queries.searchTraces(ground.of(asked), {
      ...asked,
      sort,
      limit,
      cursor,
      patienceMs,
      previews: false,
    }),
  );
  return {
    asked: { ...asked, sort, limit },
    got: got.map((row) => [
      row.traceId,
      row.startTime,
      row.durationMs,
      row.spanCount,
      row.errorCount,
      [...row.models].sort(),
      row.inputTokens,
      row.outputTokens,
      row.costUsd,
    ]),
    want: ordered(traces, sort, ({ key }) => key).map(({ shown }) => shown),
  };
};

const activityList =
  (kind: 'sessions' | 'users'): Question =>
  async (ground, random) => {
    const asked = anyAsked(random, 'spans', ground.spans);
    const own = kind === 'sessions' ? 'session' : 'user';
    const idOf = (span: SpanOf): string => span.text[own] ?? '';
    const sort = random.pick(kind === 'sessions' ? ACTIVITY_SORTS : USER_SORTS);
    const user = kind === 'sessions' && random.chance(0.2) ? random.pick(['u1', 'U1', 'nobody']) : undefined;
    const inside = matching(ground.spans, { ...asked, filter: undefined });
    const found = new Set(matching(ground.spans, asked).map(idOf));
    const ofUser = new Set(inside.filter(({ text }) => text['user'] === user).map(idOf));
    const groups = [...Map.groupBy(inside, idOf)]
      .filter(([id]) => id !== '' && found.has(id) && (user === undefined || ofUser.has(id)))
      .map(([id, spans]) => {
        const start = first(spans.map(({ ns }) => ns));
        const end = last(spans.map(endOf));
        const traces = new Set(spans.map(({ traceId }) => traceId)).size;
        const sessions = distinct(spans.map(({ text }) => text['session'] ?? '')).length;
        const keys: Record<string, bigint | number> = {
          last: end,
          first: start,
          duration: end - start,
          cost: costUnits(spans),
          tokens: sum(counting(spans).map((span) => inputOf(span) + outputOf(span))),
          errors: failed(spans),
          traces,
          sessions,
        };
        const [one] = spans;
        return {
          key: [
            keys[sort.replace('-', '')] ?? 0,
            (kind === 'sessions' ? one?.sessionHash : one?.userHash) ?? 0n,
          ],
          shown: [
            id,
            ...activityFigures(spans),
            ...usage(spans),
            distinct(spans.map(({ text }) => text['model'] ?? '')).sort(),
            ...(kind === 'users'
              ? [sessions]
              : [distinct(spans.map(({ text }) => text['user'] ?? '')).sort()]),
          ],
        };
      });
    const limit = pageSize(random, groups.length);
    const context = ground.of(asked);
    const got =
      kind === 'sessions'
        ? await allOf((cursor) =>
            ground.activity.sessions(context, {
              ...asked,
              user,
              sort: sort as (typeof ACTIVITY_SORTS)[number],
              limit,
              cursor,
            }),
          )
        : await allOf((cursor) => ground.activity.users(context, { ...asked, sort, limit, cursor }));
    return {
      asked: { ...asked, sort, limit, user },
      got: got.map((row) => [
        'sessionId' in row ? row.sessionId : row.userId,
        row.firstSeen,
        row.lastSeen,
        row.durationMs,
        row.traces,
        row.spans,
        row.modelCalls,
        row.errors,
        row.inputTokens,
        row.outputTokens,
        row.costUsd,
        [...row.models].sort(),
        'sessionId' in row ? [...row.users].sort() : row.sessions,
      ]),
      want: ordered(groups, sort, ({ key }) => key).map(({ shown }) => shown),
    };
  };

const logsList: Question = async (ground, random) => {
  const asked = anyAsked(random, 'logs', ground.logs);
  const sort = random.pick(LOG_SORTS);
  const rows = matching(ground.logs, asked);
  const limit = pageSize(random, rows.length);
  const patienceMs = anyPatience(random);
  const got = await allOf((cursor) =>
    ground.logQueries.search(ground.of(asked), { ...asked, sort, limit, cursor, patienceMs }),
  );
  // Records of one time come in the order in which they were sent, which the rows do not tell.
  const inTime = (
    list: readonly { readonly ns: bigint; readonly body: string; readonly severity: string }[],
  ) =>
    ordered(list, sort, ({ ns, body, severity }) => [ns, body, severity]).map(({ ns, ...rest }) => ({
      ...rest,
      ns: String(ns),
    }));
  const said = ({ ns, body, text }: LogOf) => ({
    ns,
    body: [...body].slice(0, LOG_LIMITS.rowBody).join(''),
    severity: text['severity'] ?? '',
  });
  return {
    asked: { ...asked, sort, limit },
    got: {
      rows: inTime(
        got.map(({ timeUnixNano, body, severity }) => ({ ns: BigInt(timeUnixNano), body, severity })),
      ),
      times: got.map(({ timeUnixNano }) => timeUnixNano),
      ids: new Set(got.map(({ id }) => id)).size,
    },
    want: {
      rows: inTime(rows.map(said)),
      times: ordered(rows, sort, ({ ns }) => [ns]).map(({ ns }) => String(ns)),
      ids: rows.length,
    },
  };
};

const exceptionsList: Question = async (ground, random) => {
  const asked = anyAsked(random, 'exceptions', ground.exceptions);
  const sort = random.pick(EXCEPTION_SORTS);
  const ever = ground.exceptions.filter(
    ({ environment }) => asked.environment === undefined || environment === asked.environment,
  );
  const count = (rows: readonly ExceptionOf[], of: (row: ExceptionOf) => string) =>
    distinct(rows.map(of)).length;
  const groups = [...Map.groupBy(matching(ground.exceptions, asked), ({ fingerprint }) => fingerprint)].map(
    ([fingerprint, rows]) => {
      const firstSeen = first(ever.filter((row) => row.fingerprint === fingerprint).map(({ ns }) => ns));
      const lastSeen = last(rows.map(({ ns }) => ns));
      const users = count(rows, ({ text }) => text['user'] ?? '');
      const exceptions = exceptionsIn(rows);
      const keys: Record<string, bigint | number> = { firstSeen, lastSeen, users, count: exceptions };
      return {
        key: [keys[sort.replace('-', '')] ?? 0, fingerprint],
        shown: [
          fingerprint.toString(16).padStart(16, '0'),
          exceptions,
          count(rows, ({ text }) => text['trace_id'] ?? ''),
          users,
          new Set(rows.map(({ text }) => text['service'])).size,
          isoOf(firstSeen),
          isoOf(lastSeen),
          firstSeen >= asked.window.from,
        ],
      };
    },
  );
  const limit = pageSize(random, groups.length);
  const got = await allOf((cursor) =>
    ground.exceptionQueries.search(ground.of(asked), { ...asked, sort, limit, cursor }),
  );
  return {
    asked: { ...asked, sort, limit },
    got: got.map((row) => [
      row.fingerprint,
      row.count,
      row.traces,
      row.users,
      row.services,
      row.firstSeen,
      row.lastSeen,
      row.isNew,
    ]),
    want: ordered(groups, sort, ({ key }) => key).map(({ shown }) => shown),
  };
};

const metricsList: Question = async (ground, random) => {
  const asked = { ...anyAsked(random, 'metrics', []), filter: undefined };
  const q = random.pick([undefined, undefined, 'cpu', 'TIME', 'größe time', 'nothing']);
  const pickOf = (values: readonly string[]) => random.pick([undefined, undefined, ...values]);
  const type = random.pick([undefined, undefined, 'gauge', 'sum'] as const);
  const unit = pickOf(['s', 'By', '']);
  const service = pickOf(['shop', 'Shop', 'nobody']);
  const { from, to } = asked.window;
  const own = ground.points.filter(
    ({ environment }) => asked.environment === undefined || environment === asked.environment,
  );
  const isWithin = ({ ns }: (typeof own)[number]) => ns >= from && ns < to;
  const shapeOf = ({ name, kind, unit: measure }: (typeof own)[number]) =>
    JSON.stringify([name, kind, measure]);
  const reported = new Set(own.filter(isWithin).map(shapeOf));
  // What reported in the window is listed. Of its series is known when they began and ended: all of their points count where these
  // reach into the window.
  const inside = [...Map.groupBy(own, ({ series }) => series).values()]
    .filter((points) => last(points.map(({ ns }) => ns)) >= from && first(points.map(({ ns }) => ns)) < to)
    .flat()
    .filter((point) => reported.has(shapeOf(point)));
  const words = (q ?? '').toLowerCase().split(' ');
  const metrics = [...Map.groupBy(inside, ({ name }) => name)].filter(([, points]) => {
    const texts = points.map(({ name, description }) => `${name}\n${description}`.toLowerCase());
    return words.every((word) => texts.some((text) => text.includes(word)));
  });
  type Point = (typeof inside)[number];
  const is = {
    types: ({ kind }: Point) => type === undefined || kind === type,
    units: (point: Point) => unit === undefined || point.unit === unit,
    services: (point: Point) => service === undefined || point.service === service,
  };
  const shapes = (points: readonly Point[]) => [
    ...Map.groupBy(points, ({ kind, unit: measure }) => `${kind} ${measure}`).values(),
  ];
  const fits = (points: readonly Point[], but?: keyof typeof is) =>
    shapes(points).filter((shape) =>
      (Object.keys(is) as (keyof typeof is)[]).every((key) => key === but || shape.some(is[key])),
    );
  const facet = (key: keyof typeof is, of: (point: Point) => string) => {
    const values = metrics.flatMap(([, points]) => [...new Set(fits(points, key).flat().map(of))]);
    return [...Map.groupBy(values, (value) => value)]
      .map(([value, all]) => ({ value, count: all.length }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  };
  const wanted = metrics.filter(([, points]) => fits(points).length > 0);
  const limit = random.int(1, 4);
  const input = { window: asked.window, q, type, unit, service, limit };
  const head = await ground.metrics.catalogue(ground.of(asked), input);
  const got = await allOf((cursor) => ground.metrics.catalogue(ground.of(asked), { ...input, cursor }));
  return {
    asked: { ...asked, ...input },
    got: {
      total: head.total,
      facets: head.facets,
      rows: got.map((row) => [
        row.name,
        row.series,
        row.points,
        row.services,
        row.environments,
        row.lastTime,
      ]),
    },
    want: {
      total: wanted.length,
      facets: {
        types: facet('types', ({ kind }) => kind),
        units: facet('units', (point) => point.unit),
        services: facet('services', (point) => point.service),
      },
      rows: wanted
        .toSorted(([a], [b]) => byKeys([a], [b]))
        .map(([name, points]) => [
          name,
          new Set(points.map(({ series }) => series)).size,
          points.length,
          [...new Set(points.map((point) => point.service))].sort(),
          [...new Set(points.map(({ environment }) => environment))].sort(),
          isoOf(last(points.filter(isWithin).map(({ ns }) => ns))),
        ]),
    },
  };
};

export const LISTS: Readonly<Record<string, Question>> = {
  spans: spansList,
  traces: tracesList,
  sessions: activityList('sessions'),
  users: activityList('users'),
  logs: logsList,
  exceptions: exceptionsList,
  metrics: metricsList,
};

type Pages = (cursor: string | undefined) => Promise<{ data: string[]; nextCursor: string | null }>;

/** Lists whose rows neither change nor move when others arrive, as ids. */
export const ARRIVING: readonly [
  string,
  (bench: QueryBench, context: RequestContext, random: Random) => Pages,
][] = [
  [
    'spans',
    ({ queries }, context, random) => {
      const input = {
        ...anyAsked(random, 'spans', []),
        sort: random.pick(SPAN_SORTS),
        limit: random.int(20, 150),
      };
      return async (cursor) => {
        const { data, nextCursor } = await queries.searchSpans(context, { ...input, cursor });
        return { data: data.map(({ traceId, spanId }) => `${traceId} ${spanId}`), nextCursor };
      };
    },
  ],
  [
    'traces',
    ({ queries }, context, random) => {
      const input = {
        ...anyAsked(random, 'spans', []),
        sort: random.pick(TRACE_SORTS),
        limit: random.int(10, 60),
      };
      return async (cursor) => {
        const { data, nextCursor } = await queries.searchTraces(context, {
          ...input,
          cursor,
          previews: false,
        });
        return { data: data.map(({ traceId }) => traceId), nextCursor };
      };
    },
  ],
  [
    'logs',
    ({ store }, context, random) => {
      const logs = createLogQueries(store, LIMITS);
      const input = {
        ...anyAsked(random, 'logs', []),
        sort: random.pick(LOG_SORTS),
        limit: random.int(10, 60),
      };
      return async (cursor) => {
        const { data, nextCursor } = await logs.search(context, { ...input, cursor });
        return { data: data.map(({ id }) => id), nextCursor };
      };
    },
  ],
];
