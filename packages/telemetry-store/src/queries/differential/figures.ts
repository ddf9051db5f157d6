import {
  type FieldDefinition,
  FIELDS,
  isCountable,
  LIST_LIMITS,
  LOG_MEASURES,
  MAX_FACET_BYTES,
  type Measure,
  MEASURES,
  resolveField,
} from '@candela/contract';
import { previousWindow } from '@candela/kernel';
import { anyAsked, anyFilter, anyWindow, BY_SPEAKER, fieldsOf } from './filters.ts';
import { counting, sum } from './lists.ts';
import {
  byBytes,
  byKeys,
  type ExceptionOf,
  fulfils,
  type LogOf,
  matching,
  type Row,
  shownOf,
  type SpanOf,
} from './model.ts';
import { LAST_SECOND } from '../../rollups/rollup.ts';
import type { Question } from './question.ts';
import type { Random } from './random.ts';

/** Everything that counts and sums: charts, facets, completion, the heat map of durations, what differs, agents. */

const SECOND = 1_000_000_000n;
type Counted = SpanOf | LogOf;
type Window = ReturnType<typeof anyWindow>;

const isSpan = (row: Row): row is SpanOf => 'durationNs' in row;
const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
const failed = (row: Row): boolean =>
  row.text['status'] === 'error' || row.text['severity'] === 'error' || row.text['severity'] === 'fatal';
const different = (rows: readonly Row[], field: string): number =>
  new Set(rows.map(({ text }) => text[field]).filter((value) => value !== '' && value !== undefined)).size;

/** A measure of rows; of a quantile all values. */
function measured(rows: readonly Counted[], measure: Measure): number | null | readonly number[] {
  const spans = rows.filter(isSpan);
  const own = counting(spans);
  const ended = () =>
    spans.filter(({ running }) => !running).map(({ durationNs }) => Number(durationNs) / 1e6);
  const waits = () => spans.flatMap(({ number }) => number['ttft_ms'] ?? []);
  switch (measure) {
    case 'count':
      return rows.length;
    case 'errors':
      return rows.filter(failed).length;
    case 'error_rate':
      return share(rows.filter(failed).length, rows.length);
    case 'traces':
      return different(rows, 'trace_id');
    case 'sessions':
      return different(rows, 'session');
    case 'users':
      return different(rows, 'user');
    case 'duration_avg':
      return share(sum(ended()), ended().length);
    case 'model_calls':
      return own.length;
    case 'input_tokens':
      return sum(own.map(({ tokens }) => tokens.input + tokens.read + tokens.write));
    case 'output_tokens':
      return sum(own.map(({ tokens }) => tokens.output + tokens.reasoning));
    case 'cache_read_tokens':
      return sum(own.map(({ tokens }) => tokens.read));
    case 'cache_write_tokens':
      return sum(own.map(({ tokens }) => tokens.write));
    case 'reasoning_tokens':
      return sum(own.map(({ tokens }) => tokens.reasoning));
    case 'total_tokens':
      return sum(
        own.map(
          ({ tokens: { input, read, write, output, reasoning } }) =>
            input + read + write + output + reasoning,
        ),
      );
    case 'cost': {
      const costs = own.flatMap(({ cost }) => cost ?? []);
      return costs.length === 0 ? null : sum(costs);
    }
    default:
      return measure.startsWith('ttft') ? waits() : ended();
  }
}

/** The answer where it is near enough to what the rows say, else what they say. */
function judged(
  got: number | null | undefined,
  want: ReturnType<typeof measured>,
  measure: Measure,
): number | null {
  if (typeof want === 'number') return want;
  if (want === null) return null;
  if (want.length === 0) return null;
  // By nearest rank: the smallest value that so many of all reach.
  const rank = Math.ceil((Number(measure.slice(-2)) / 100) * want.length);
  const value = want.toSorted((a, b) => a - b)[rank - 1] ?? 0;
  const isNear = got !== null && got !== undefined && Math.abs(got - value) <= value * 0.01 + 1e-9;
  return isNear ? got : value;
}

const GROUPS = {
  spans: fieldsOf('spans').filter((name) => !/_ms$|tokens|^cost$|^text$|^prompt$|^completion$/.test(name)),
  logs: fieldsOf('logs').filter((name) => !/tokens|^cost$|^text$|^body/.test(name)),
};
/** Charts are of everything but messages. */
const CHARTED = {
  spans: GROUPS.spans.filter((name) => name !== 'attributes.gen_ai.input.messages'),
  logs: GROUPS.logs,
};
/** What the rollups know, so that they answer often. */
const ROLLED = {
  spans: ['service', 'name', 'model', 'status', 'root', 'kind', 'agent', 'tool', 'error_type'],
  logs: ['service', 'severity', 'severity_text', 'event', 'scope_name'],
};
const SUMS: readonly Measure[] = ['count', 'errors', 'error_rate', 'model_calls', 'input_tokens', 'cost'];
const WHOLE = new Set<Measure>([
  'count',
  'errors',
  'traces',
  'sessions',
  'users',
  'model_calls',
  'input_tokens',
]);

/** A filter that a rollup can answer, sometimes. */
function rolledFilter(random: Random, signal: 'spans' | 'logs', rows: readonly Row[]) {
  for (let n = 0; n < 50; n += 1) {
    const filter = anyFilter(random, signal, rows, 2);
    if ('field' in filter && ROLLED[signal].includes(filter.field)) return filter;
  }
  return undefined;
}

const FIVE_MINUTES = 300n * SECOND;
const DAY_MS = 86_400_000;

/**
 * From when on a period has rows to compare with, null when from its begin: rows that arrived within two days of their
 * clock, or those of an import, which have at least twelve times five minutes, and a quarter of all since the first.
 */
function sinceWhen(rows: readonly Row[], { from, to }: Window): bigint | null {
  const bucketOf = ({ ns }: Row): bigint => {
    const bucket = ns - (ns % FIVE_MINUTES);
    const last = BigInt(LAST_SECOND) * SECOND;
    return bucket < last ? bucket : last;
  };
  const begin = from - (from % FIVE_MINUTES);
  const day = (ms: number) => Math.floor(ms / DAY_MS);
  const inTime = (row: Row) => day(row.receivedMs) <= day(Number(bucketOf(row) / 1_000_000n)) + 2;
  if (rows.some((row) => inTime(row) && bucketOf(row) < begin)) return null;
  const length = to - begin > 24n * FIVE_MINUTES ? to - begin : 24n * FIVE_MINUTES;
  const around = rows.filter((row) => bucketOf(row) >= begin - length && bucketOf(row) < to);
  const first = (of: readonly Row[]) => of.map(bucketOf).reduce((a, b) => (a < b ? a : b));
  const [sent, late] = [around.filter(inTime), around.filter((row) => !inTime(row))];
  const begins = sent.length === 0 ? [] : [first(sent)];
  if (late.length > 0) {
    const filled = new Set(late.map(bucketOf)).size;
    const spanned = Number((to - first(late)) / FIVE_MINUTES) + 1;
    if (filled >= 12 && filled >= spanned / 4) begins.push(first(late));
  }
  if (begins.length === 0) return to;
  const bucket = begins.reduce((a, b) => (a < b ? a : b));
  if (bucket < begin) return null;
  const isCut = bucket >= BigInt(LAST_SECOND) * SECOND || bucket + FIVE_MINUTES > to;
  const end = isCut ? to : bucket + FIVE_MINUTES;
  const exact = rows.map(({ ns }) => ns).filter((ns) => ns >= bucket && ns < end);
  const since = exact.length === 0 ? (isCut ? to : bucket) : exact.reduce((a, b) => (a < b ? a : b));
  return since > from ? since : null;
}

const aggregate: Question = async (ground, random) => {
  const signal = random.pick(['spans', 'spans', 'logs'] as const);
  const rows: readonly Counted[] = ground[signal];
  const rolled = random.chance(0.5);
  const asked = {
    ...anyAsked(random, signal, rows),
    ...(rolled ? { filter: random.chance(0.3) ? undefined : rolledFilter(random, signal, rows) } : {}),
  };
  const { window } = asked;
  const known: readonly Measure[] = signal === 'logs' ? LOG_MEASURES : MEASURES;
  const measures = random.some(rolled ? known.filter((one) => SUMS.includes(one)) : known, 1, 6);
  const groupBy = random.some(rolled ? ROLLED[signal] : CHARTED[signal], 0, random.pick([1, 1, 2, 3]));
  const other = anyWindow(random);
  // Moved onto a later window, the last instants would lie beyond what can be held.
  const later = other.to > window.to && other.from < window.from;
  const comparePrevious: boolean | Window = random.pick([false, false, true, later ? true : other]);
  const before =
    comparePrevious === true
      ? previousWindow(window)
      : comparePrevious === false
        ? undefined
        : comparePrevious;
  const seconds = [window, before ?? window].map(({ from, to }) => Number((to - from) / SECOND));
  const widths = [1, 7, 60, 300, 900, 3_600, 86_400].filter(
    (width) => Math.max(...seconds) / width <= LIST_LIMITS.maxBuckets,
  );
  const bucketSeconds = random.pick([
    undefined,
    'auto' as const,
    ...widths.slice(0, 2),
    ...widths.slice(0, 2),
  ]);
  const [main = 'count'] = measures;
  // Which of equal groups comes first is told by their names; of sums of doubles nobody knows which are equal.
  const limit = WHOLE.has(main) ? random.int(1, 30) : 1_000;
  const input = { signal, ...asked, groupBy, measures, bucketSeconds, limit, comparePrevious };
  const got = await ground.queries.aggregate(ground.of(asked), input);

  const width = got.bucketSeconds;
  const grouped = (list: readonly Counted[], shift: bigint) =>
    Map.groupBy(list, (row) => {
      const moved = (row.ns + shift) / SECOND;
      const time =
        width === null ? null : new Date(Number(moved - (moved % BigInt(width))) * 1_000).toISOString();
      return JSON.stringify([time, groupBy.map((name) => shownOf(row, name))]);
    });
  const inside = matching(rows, asked);
  const ranked = (list: readonly Counted[]): string[] =>
    [...Map.groupBy(list, (row) => JSON.stringify(groupBy.map((name) => shownOf(row, name))))]
      .map(([key, own]) => {
        const value = measured(own, main);
        const order = [
          typeof value === 'number' ? -value : Number.MAX_VALUE,
          ...(JSON.parse(key) as string[]),
        ];
        return { key, order };
      })
      .toSorted((a, b) => byKeys(a.order, b.order))
      .map(({ key }) => key);
  const groups = ranked(inside);
  const chosen = new Set(groups.slice(0, limit));
  const earlier = before === undefined ? [] : matching(rows, { ...asked, window: before });
  // Those that are gone take the room that is left.
  const gone = ranked(earlier).filter((key) => !chosen.has(key));
  const shown = new Set([...chosen, ...gone.slice(0, limit - chosen.size)]);
  const kept = (list: readonly Counted[]) =>
    groupBy.length === 0
      ? list
      : list.filter((row) => shown.has(JSON.stringify(groupBy.map((name) => shownOf(row, name)))));
  const now = grouped(kept(inside), 0n);
  const then = before === undefined ? undefined : grouped(kept(earlier), window.from - before.from);
  if (groupBy.length === 0 && width === null) {
    // A sum of nothing is an answer too.
    for (const side of [now, then]) if (side?.size === 0) side.set('[null,[]]', []);
  }
  // Of everything there is, whatever the filter and the window.
  const all = rows.filter(
    ({ environment }) => asked.environment === undefined || environment === asked.environment,
  );
  const gotRows = new Map(got.rows.map((row) => [JSON.stringify([row.time, row.group]), row]));
  const want = [...new Set([...now.keys(), ...(then?.keys() ?? [])])].map((key) => {
    const said = gotRows.get(key);
    const [time, group] = JSON.parse(key) as [string | null, string[]];
    const values = (
      side: Map<string, Counted[]> | undefined,
      answer: readonly (number | null)[] | null | undefined,
    ) => {
      const list = side?.get(key);
      return list === undefined
        ? undefined
        : measures.map((measure, index) => judged(answer?.[index], measured(list, measure), measure));
    };
    return {
      time,
      group,
      values: values(now, said?.values) ?? measures.map(() => null),
      previous: values(then, said?.previous) ?? null,
    };
  });
  const inOrder = <R extends { time: string | null; group: readonly string[] }>(list: readonly R[]) =>
    list.toSorted((a, b) => byKeys([a.time ?? '', ...a.group], [b.time ?? '', ...b.group]));
  return {
    asked: input,
    got: {
      rows: inOrder(got.rows),
      groups: got.groups,
      previous: got.previous,
      order:
        groupBy.length > 0 && width === null && WHOLE.has(main)
          ? got.rows.map(({ group }) => group).slice(0, chosen.size)
          : null,
    },
    want: {
      rows: inOrder(want),
      groups: groupBy.length === 0 ? Math.min(1, now.size) : groups.length,
      previous: before === undefined ? null : { ...before, since: sinceWhen(all, before) },
      order:
        groupBy.length > 0 && width === null && WHOLE.has(main)
          ? [...chosen].map((key) => JSON.parse(key) as string[])
          : null,
    },
  };
};

/** Values with how often they occur, the most frequent first. */
function counts(values: readonly string[]): { value: string; count: number }[] {
  const groups = [...Map.groupBy(values, (value) => value)].filter(([value]) => value !== '');
  return groups
    .map(([value, all]) => ({ value, count: all.length }))
    .sort((a, b) => b.count - a.count || byBytes(a.value, b.value));
}

/** What can be counted: named texts and all keys but those of messages. */
const facetsOf = (signal: 'spans' | 'logs' | 'exceptions') =>
  fieldsOf(signal).filter((name) => {
    const field = resolveField(name);
    if (field?.kind === 'named') return isCountable(field.definition);
    return name !== 'attributes.gen_ai.input.messages';
  });
const FACETS = { spans: facetsOf('spans'), logs: facetsOf('logs'), exceptions: facetsOf('exceptions') };

const isException = (row: Row): row is ExceptionOf => 'occurrence' in row;

const facets: Question = async (ground, random) => {
  const signal = random.pick(['spans', 'logs', 'exceptions'] as const);
  const known = FACETS[signal];
  const asked = anyAsked(random, signal, ground[signal]);
  if (signal !== 'exceptions' && random.chance(0.5)) {
    Object.assign(asked, { filter: rolledFilter(random, signal, ground[signal]) });
  }
  const fields = random.some(known, 1, random.pick([1, 2, known.length]));
  const search = random.pick([undefined, undefined, 'o', 'ERR', 'ü', '%']);
  const limit = random.int(1, 12);
  const input = { signal, ...asked, fields, search, limit };
  const rows = matching<Row>(ground[signal], asked);
  const { data: got } = await ground.queries.facets(ground.of(asked), input);
  return {
    asked: input,
    got,
    want: fields.map((field) => {
      // An exception that was recorded several times is one.
      const once = new Map(
        rows.map((row, index) => [
          JSON.stringify([
            isException(row) && row.records === 0 ? row.occurrence : index,
            shownOf(row, field),
          ]),
          row,
        ]),
      );
      const each = [...once.values()].flatMap((row) =>
        Array.from({ length: isException(row) && row.records > 0 ? row.records : 1 }, () =>
          shownOf(row, field),
        ),
      );
      const values = counts(each).filter(
        ({ value }) =>
          value.toLowerCase().includes((search ?? '').toLowerCase()) &&
          Buffer.byteLength(value) <= MAX_FACET_BYTES,
      );
      return { field, values: values.slice(0, limit), more: values.length > limit };
    }),
  };
};

const isNamed = (name: string): name is keyof typeof FIELDS => Object.hasOwn(FIELDS, name);

/** Whether a row has a field. */
const has = (row: Row, name: string): boolean => {
  const field = isNamed(name) ? (FIELDS[name] as FieldDefinition) : undefined;
  if (field?.type === 'enum' || field?.type === 'boolean') return true;
  return fulfils(row, { field: name, op: 'exists' });
};

const fieldList: Question = async (ground, random) => {
  const signal = random.pick(['spans', 'logs'] as const);
  const asked = anyAsked(random, signal, ground[signal]);
  const prefix = random.pick(['', '', 'a', 'HTTP', 'attributes.n', 'o']);
  const rows = matching<Row>(ground[signal], asked);
  const got = await ground.fields.list(ground.of(asked), signal, { ...asked, prefix });
  const named = Object.entries(FIELDS as Readonly<Record<string, FieldDefinition>>)
    .filter(
      ([name, { signals, aliases = [] }]) =>
        signals.includes(signal) &&
        !BY_SPEAKER.has(name) &&
        [name, ...aliases].some((one) => one.includes(prefix.toLowerCase())),
    )
    .map(([name]) => [name, rows.filter((row) => has(row, name)).length]);
  const keys = rows.flatMap((row) =>
    (['attributes', 'resource', 'scope'] as const).flatMap((source) =>
      [...row[source].keys()].map((key) => `${source}.${key}`),
    ),
  );
  const wanted = prefix.toLowerCase();
  const counted = counts(keys)
    .filter(
      ({ value }) =>
        value.toLowerCase().startsWith(wanted) ||
        value
          .slice(value.indexOf('.') + 1)
          .toLowerCase()
          .includes(wanted),
    )
    .map(({ value, count }) => [value, count]);
  const byName = (list: readonly (readonly (string | number)[])[]) => list.toSorted(byKeys);
  return {
    asked: { signal, ...asked, prefix },
    got: {
      sampled: got.sampled,
      fields: byName(
        got.fields
          .filter(({ field }) => !BY_SPEAKER.has(field))
          .map(({ field, rows: count }) => [field, count]),
      ),
    },
    want: { sampled: rows.length, fields: byName([...named, ...counted] as (string | number)[][]) },
  };
};

const fieldValues: Question = async (ground, random) => {
  const signal = random.pick(['spans', 'logs'] as const);
  const asked = anyAsked(random, signal, ground[signal]);
  const field = random.pick(GROUPS[signal]);
  const prefix = random.pick(['', '', 'g', 'GE', 'ü', '%', '/c']);
  const limit = random.int(1, 20);
  const got = await ground.fields.values(ground.of(asked), signal, { ...asked, field, prefix, limit });
  const low = prefix.toLowerCase();
  const values = counts(
    matching<Row>(ground[signal], asked).map((row) => [...shownOf(row, field)].slice(0, 300).join('')),
  ).filter(({ value }) => value.toLowerCase().includes(low));
  const begins = ({ value }: { value: string }) => Number(value.toLowerCase().startsWith(low));
  const sorted = values.toSorted((a, b) => begins(b) - begins(a));
  return {
    asked: { signal, ...asked, field, prefix, limit },
    got: { values: got.values, more: got.more },
    want: { values: sorted.slice(0, limit), more: sorted.length > limit },
  };
};

const durations: Question = async (ground, random) => {
  const asked = anyAsked(random, 'spans', ground.spans);
  const seconds = Number((asked.window.to - asked.window.from) / SECOND);
  const bucketSeconds = Math.max(1, Math.ceil(seconds / random.int(1, 150)));
  const got = await ground.durations.durations(ground.of(asked), { ...asked, bucketSeconds });
  const rows = matching(ground.spans, asked);
  const ended = rows.filter(({ running }) => !running);
  const width = BigInt(bucketSeconds) * SECOND;
  // Two steps a doubling, what is below a microsecond and beyond 2^50 ns each in one.
  const stepOf = (ns: bigint) => Math.min(100, Math.max(19, Math.floor(Math.log2(Number(ns) + 1) * 2)));
  const cells = [...Map.groupBy(ended, ({ ns, durationNs }) => `${ns / width} ${stepOf(durationNs)}`)].map(
    ([key, all]) => {
      const [time = '0', step = '0'] = key.split(' ');
      return [
        Number(time) * bucketSeconds * 1_000,
        Number(step) < 20 ? 0 : 2 ** (Number(step) / 2) / 1e6,
        all.length,
        all.filter(failed).length,
      ];
    },
  );
  return {
    asked: { ...asked, bucketSeconds },
    got: {
      running: got.running,
      cells: got.cells.map((cell) => [
        cell.startMs,
        cell.lowMs === 0 ? 0 : cell.lowMs,
        cell.count,
        cell.errors,
      ]),
    },
    want: {
      running: rows.length - ended.length,
      cells: cells.toSorted((a, b) => byKeys(a as number[], b as number[])),
    },
  };
};

const compare: Question = async (ground, random) => {
  const signal = random.pick(['spans', 'logs'] as const);
  const asked = anyAsked(random, signal, ground[signal]);
  const selection = anyFilter(random, signal, ground[signal], 2);
  const got = await ground.compare.compare(ground.of(asked), signal, { ...asked, selection, limit: 50 });
  const rows = matching<Row>(ground[signal], asked);
  const [selected = [], rest = []] = [true, false].map((side) =>
    rows.filter((row) => fulfils(row, selection) === side),
  );
  const shareOf = (list: readonly Row[], field: string, value: string) =>
    list.length === 0
      ? 0
      : list.filter((row) => [...shownOf(row, field)].slice(0, 200).join('') === value && has(row, field))
          .length / list.length;
  return {
    asked: { signal, ...asked, selection },
    got: {
      selection: got.selection,
      rest: got.rest,
      fields: got.fields.map(({ field, values }) => [
        field,
        values.filter(({ value }) => value !== null).map((one) => [one.value, one.selection, one.rest]),
      ]),
      numbers: got.numbers.map(({ field, ...sides }) => [field, sides.selection.count, sides.rest.count]),
    },
    want: {
      selection: { rows: selected.length, sampled: selected.length },
      rest: { rows: rest.length, sampled: rest.length },
      fields: got.fields.map(({ field, values }) => [
        field,
        values.flatMap(({ value }) =>
          value === null ? [] : [[value, shareOf(selected, field, value), shareOf(rest, field, value)]],
        ),
      ]),
      numbers: got.numbers.map(({ field }) => [
        field,
        ...[selected, rest].map((list) => list.filter((row) => has(row, field)).length),
      ]),
    },
  };
};

const MODEL_CALLS = ['chat', 'text_completion', 'embeddings'];

const agents: Question = async (ground, random) => {
  const asked = { ...anyAsked(random, 'spans', ground.spans), filter: undefined };
  const search = random.pick([undefined, undefined, 'W', 'ü', 'nobody']);
  const got = await ground.agents.agents(ground.of(asked), { window: asked.window, search });
  const named = [...Map.groupBy(matching(ground.spans, asked), ({ text }) => text['agent'] ?? '')].filter(
    ([name]) => name !== '' && name.toLowerCase().includes((search ?? '').toLowerCase()),
  );
  const figures = (spans: readonly SpanOf[], operations: readonly string[]) => {
    const own = spans.filter(({ text }) => operations.includes(text['operation'] ?? ''));
    const used = counting(own);
    const costs = used.flatMap(({ cost }) => cost ?? []);
    return [
      own.length,
      own.filter(failed).length,
      used.length === 0 ? null : measured(used, 'input_tokens'),
      used.length === 0 ? null : measured(used, 'output_tokens'),
      costs.length === 0 ? null : sum(costs),
    ];
  };
  const sorted = named.toSorted(([a, first], [b, second]) => second.length - first.length || byBytes(a, b));
  return {
    asked: { ...asked, search },
    got: {
      total: got.total,
      agents: got.agents.map((row) => [
        row.name,
        row.services,
        ...[row.runs, row.calls, row.tools].map((one) => [
          one.count,
          one.errors,
          one.inputTokens,
          one.outputTokens,
          one.costUsd,
        ]),
        sum(row.trend.map(({ count }) => count)),
      ]),
    },
    want: {
      total: named.length,
      agents: sorted.map(([name, spans]) => {
        const kinds = [['invoke_agent'], MODEL_CALLS, ['execute_tool']].map((operations) =>
          figures(spans, operations),
        );
        return [
          name,
          [...new Set(spans.map(({ text }) => text['service'] ?? ''))].sort(),
          ...kinds,
          kinds[0]?.[0] || kinds[1]?.[0] || 0,
        ];
      }),
    },
  };
};

export const FIGURES: Readonly<Record<string, Question>> = {
  aggregate,
  facets,
  'list of fields': fieldList,
  'values of a field': fieldValues,
  durations,
  'what differs': compare,
  agents,
};
