import type { Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { newestPart } from '../core/newest.ts';
import { idSql } from '../core/row-shape.ts';
import type { Runner } from '../core/run.ts';
import { readScore } from '../core/score.ts';
import { Scope, type Window } from '../core/scope.ts';
import type { Source } from '../core/source.ts';
import type { CatalogueInput } from '../metrics/catalogue.ts';
import type { ExportSource, RawMaps } from './export-source.ts';
import { Pace } from './pace.ts';

export interface ExportInput {
  readonly window: Window;
  readonly filter: Filter | undefined;
  readonly limit: number;
  /** Of spans: names of scores that each row tells. */
  readonly scores?: readonly string[];
  /** Of the catalogue of metrics: what narrows it besides the window. */
  readonly metrics?: Pick<CatalogueInput, 'q' | 'type' | 'unit' | 'service'>;
}

export interface ExportSize {
  /** Rows it will hold. */
  readonly rows: number;
  /** True when more match. */
  readonly more: boolean;
}

interface Placed {
  readonly RowPlace: string[];
}

/**
 * All matching rows, newest first, page by page, each a short read: a slow client holds nothing open in the engine.
 * Where a page lies is found by its times alone; then its rows are read with all they carry.
 */
export async function* exportPages<Raw>(
  runner: Runner,
  context: RequestContext,
  source: ExportSource<Raw>,
  input: ExportInput,
): AsyncGenerator<(Raw & RawMaps)[]> {
  const { reader } = source;
  const limit = (scope: Scope) => scope.matching(input.filter);
  const { from } = input.window;
  let { to } = input.window;
  let left = input.limit;
  const pace = new Pace();
  while (left > 0 && from < to) {
    const rows = Math.min(pace.rows, left) + 1;
    const part = await runner.seen(context, reader.source, (seen) =>
      newestPart(runner, seen, reader.source, { window: { from, to }, rows, limit }),
    );
    const last = part.rows < rows;
    // Rows at the time of the last one wait for the next page: equal ones may be cut apart otherwise.
    const since = last ? from : part.window.from + 1n;
    if (since < to) {
      const page = await paced(pace, () =>
        runner.seen(context, reader.source, (seen) =>
          readPage(runner, seen, source, input, { from: since, to }),
        ),
      );
      if (page === undefined) continue;
      if (page.length > 0) yield page.slice(0, left);
      left -= page.length;
      if (last) return;
      to = since;
    } else {
      const same = { ...input, limit: left, window: part.window };
      for await (const page of equalTimes(runner, context, source, same, pace)) {
        yield page;
        left -= page.length;
      }
      to = part.window.from;
    }
  }
}

/** What was read; undefined when it was more than the engine may hold, so that less has to be asked for. */
async function paced<Row extends object>(
  pace: Pace,
  read: () => Promise<readonly Row[]>,
): Promise<readonly Row[] | undefined> {
  try {
    const page = await read();
    pace.read(page);
    return page;
  } catch (thrown) {
    if (pace.slower(thrown)) return undefined;
    throw thrown;
  }
}

const orderOf = <Raw>({ reader, place, stored = [] }: ExportSource<Raw>): string =>
  `ORDER BY ${[reader.source.time, ...place.map(({ sql }) => sql), ...stored].map((sql) => `${sql} DESC`).join(', ')}`;

const columnsOf = <Raw>(
  { reader, columns, place }: ExportSource<Raw>,
  { scores = [] }: ExportInput,
  { params }: Scope,
): string =>
  `${reader.columns}, ${columns}, ${scores.length === 0 ? '' : `[${scores.map((name) => readScore(name, params).text).join(', ')}] AS Scores, `}${idSql(place.map(({ sql }) => `toString(${sql})`))} AS RowPlace`;

function readPage<Raw>(
  runner: Runner,
  context: RequestContext,
  source: ExportSource<Raw>,
  input: ExportInput,
  window: Window,
): Promise<(Raw & RawMaps)[]> {
  const { reader } = source;
  const scope = Scope.of(context, reader.source).during(window).matching(input.filter);
  return runner.run<Raw & RawMaps>(
    scope,
    `SELECT ${columnsOf(source, input, scope)} ${scope.from} ${orderOf(source)}`,
  );
}

/**
 * More rows than a page that have one and the same time: page by page by their places. Rows of one place that are stored
 * in an order are counted; those of no order are the same in every respect and come on one page.
 */
async function* equalTimes<Raw>(
  runner: Runner,
  context: RequestContext,
  source: ExportSource<Raw>,
  input: ExportInput,
  pace: Pace,
): AsyncGenerator<(Raw & RawMaps)[]> {
  const { place, stored } = source;
  let left = input.limit;
  let last: readonly string[] | undefined;
  /** Rows of the last one's place that were given, where they are counted. */
  let given = 0;
  while (left > 0) {
    const rows = Math.min(pace.rows, left);
    const after = last;
    const cut = stored === undefined ? `LIMIT ${rows} WITH TIES` : `LIMIT ${rows} OFFSET ${given}`;
    const page = await paced(pace, () =>
      runner.seen(context, source.reader.source, (seen) => {
        let scope = Scope.of(seen, source.reader.source).during(input.window).matching(input.filter);
        if (after !== undefined) {
          const { params } = scope;
          const bound = after.map((value, index) => params.bind(value, place[index]?.type ?? 'String'));
          scope = scope.and(
            `(${place.map(({ sql }) => sql).join(', ')}) ${stored === undefined ? '<' : '<='} (${bound.join(', ')})`,
          );
        }
        return runner.run<Raw & RawMaps & Placed>(
          scope,
          `SELECT ${columnsOf(source, input, scope)} ${scope.from} ${orderOf(source)} ${cut}`,
        );
      }),
    );
    if (page === undefined) continue;
    if (page.length > 0) yield page.slice(0, left);
    if (page.length < rows) return;
    left -= page.length;
    const end = page.at(-1)?.RowPlace ?? [];
    given =
      page.filter(({ RowPlace }) => samePlace(RowPlace, end)).length +
      (last !== undefined && samePlace(last, end) ? given : 0);
    last = end;
  }
}

const samePlace = (a: readonly string[], b: readonly string[]): boolean =>
  a.every((value, index) => value === b[index]);

/** How many rows an export will hold: read no further than one row beyond its limit. */
export async function countExport(
  runner: Runner,
  context: RequestContext,
  source: Source,
  input: ExportInput,
  distinct?: string,
): Promise<ExportSize> {
  const [row] = await runner.seen(context, source, (seen) => {
    const scope = Scope.of(seen, source).during(input.window).matching(input.filter);
    return runner.run<{ C: number }>(
      scope,
      `SELECT count() AS C FROM (SELECT ${distinct === undefined ? '1' : `DISTINCT ${distinct}`} ${scope.from} LIMIT ${input.limit + 1})`,
    );
  });
  const found = row?.C ?? 0;
  return { rows: Math.min(found, input.limit), more: found > input.limit };
}
