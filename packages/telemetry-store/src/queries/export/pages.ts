import type { Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { newestPart } from '../core/newest.ts';
import { idSql } from '../core/row-shape.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import type { Source } from '../core/source.ts';
import type { CatalogueInput } from '../metrics/catalogue.ts';
import type { ExportSource, RawMaps } from './export-source.ts';
import { Pace } from './pace.ts';

export interface ExportInput {
  readonly window: Window;
  readonly filter: Filter | undefined;
  readonly limit: number;
  /** Of the catalogue of metrics: what narrows it besides the window. */
  readonly metrics?: Pick<CatalogueInput, 'q' | 'type' | 'unit' | 'service'>;
}

interface Ids {
  readonly RowIds: string[];
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
    const part = await newestPart(runner, context, reader.source, { window: { from, to }, rows, limit });
    const last = part.rows < rows;
    // Rows at the time of the last one wait for the next page: equal ones may be cut apart otherwise.
    const since = last ? from : part.window.from + 1n;
    if (since < to) {
      const page = await paced(pace, () => readPage(runner, context, source, input, { from: since, to }));
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

const order = (time: string, ids: readonly string[]): string =>
  `ORDER BY ${[time, ...ids].map((sql) => `${sql} DESC`).join(', ')}`;

const columnsOf = <Raw>({ reader, columns }: ExportSource<Raw>): string =>
  `${reader.columns}, ${columns}, ${idSql(reader.ids)} AS RowIds`;

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
    `SELECT ${columnsOf(source)} ${scope.from} ${order(reader.source.time, reader.ids)}`,
  );
}

/** More rows than a page that have one and the same time: page by page by their ids. */
async function* equalTimes<Raw>(
  runner: Runner,
  context: RequestContext,
  source: ExportSource<Raw>,
  input: ExportInput,
  pace: Pace,
): AsyncGenerator<(Raw & RawMaps)[]> {
  const { ids, source: table } = source.reader;
  let left = input.limit;
  let last: Ids | undefined;
  while (left > 0) {
    const rows = Math.min(pace.rows, left);
    let scope = Scope.of(context, table).during(input.window).matching(input.filter);
    if (last !== undefined) {
      const bound = last.RowIds.map((id) => scope.params.bind(id, 'String')).join(', ');
      scope = scope.and(`(${ids.join(', ')}) < (${bound})`);
    }
    // Ties come along: rows equal in all of this are the same in every respect, and must not be cut apart.
    const page = await paced(pace, () =>
      runner.run<Raw & RawMaps & Ids>(
        scope,
        `SELECT ${columnsOf(source)} ${scope.from} ${order(table.time, ids)} LIMIT ${rows} WITH TIES`,
      ),
    );
    if (page === undefined) continue;
    if (page.length > 0) yield page.slice(0, left);
    if (page.length < rows) return;
    left -= page.length;
    last = page.at(-1);
  }
}

/** How many rows an export will hold, at most one more than its limit. */
export async function countExport(
  runner: Runner,
  context: RequestContext,
  source: Source,
  input: ExportInput,
  distinct?: string,
): Promise<number> {
  const scope = Scope.of(context, source).during(input.window).matching(input.filter);
  const [row] = await runner.run<{ C: number }>(
    scope,
    `SELECT count() AS C FROM (SELECT ${distinct === undefined ? '1' : `DISTINCT ${distinct}`} ${scope.from} LIMIT ${input.limit + 1})`,
  );
  return row?.C ?? 0;
}
