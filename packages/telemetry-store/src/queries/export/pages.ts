import type { Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { idSql } from '../core/row-shape.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import type { ExportSource, RawMaps } from './export-source.ts';

export interface ExportInput {
  readonly window: Window;
  readonly filter: Filter | undefined;
  readonly limit: number;
}

/** Rows of one read: few enough to hold in memory with all they carry. */
const PAGE = 1_000;

interface Keys {
  readonly RowNs: string;
  readonly RowIds: string[];
}

/**
 * All matching rows, newest first, page by page: each page is one short read that starts after the last row of the
 * page before, so that a slow client holds nothing open in the engine.
 */
export async function* exportPages<Raw>(
  runner: Runner,
  context: RequestContext,
  source: ExportSource<Raw>,
  input: ExportInput,
): AsyncGenerator<(Raw & RawMaps)[]> {
  const { reader } = source;
  const { time } = reader.source;
  let left = input.limit;
  let last: Keys | undefined;
  while (left > 0) {
    const page = Math.min(PAGE, left);
    let scope = Scope.of(context, reader.source)
      .during(last === undefined ? input.window : { from: input.window.from, to: BigInt(last.RowNs) + 1n })
      .matching(input.filter);
    if (last !== undefined) scope = scope.and(after(scope, time, reader.ids, last));
    // Ties come along: rows equal in time and ids are the same in every respect, and must not be cut apart.
    const rows = await runner.run<Raw & RawMaps & Keys>(
      scope,
      `SELECT ${reader.columns}, ${source.columns}, toString(toUnixTimestamp64Nano(${time})) AS RowNs,
        ${idSql(reader.ids)} AS RowIds
       ${scope.from}
       ORDER BY ${[time, ...reader.ids].map((sql) => `${sql} DESC`).join(', ')}
       LIMIT ${page} WITH TIES`,
    );
    if (rows.length > 0) yield rows.slice(0, left);
    if (rows.length < page) return;
    left -= rows.length;
    last = rows.at(-1);
  }
}

function after(scope: Scope, time: string, ids: readonly string[], last: Keys): string {
  const { params } = scope;
  const bound = [params.time(BigInt(last.RowNs)), ...last.RowIds.map((id) => params.bind(id, 'String'))].join(
    ', ',
  );
  return `(${[time, ...ids].join(', ')}) < (${bound})`;
}

/** How many rows an export will hold, at most one more than its limit. */
export async function countExport(
  runner: Runner,
  context: RequestContext,
  source: Pick<ExportSource<never>, 'reader'>,
  input: ExportInput,
  distinct?: string,
): Promise<number> {
  const scope = Scope.of(context, source.reader.source).during(input.window).matching(input.filter);
  const [row] = await runner.run<{ C: number }>(
    scope,
    `SELECT count() AS C FROM (SELECT ${distinct === undefined ? '1' : `DISTINCT ${distinct}`} ${scope.from} LIMIT ${input.limit + 1})`,
  );
  return row?.C ?? 0;
}
