import type { EventKind } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { fieldText } from '../core/field-text.ts';
import type { Params } from '../core/params.ts';
import type { Runner } from '../core/run.ts';
import { shownSql } from '../core/show.ts';
import type { Scope } from '../core/scope.ts';
import type { Source } from '../core/source.ts';
import { ALL_ROWS, inPieces, partOf, type Sides, sidesScope, STRATA, type Strata } from './strata.ts';

/** Rows of a side that are looked at in one part of the window. */
const PER_PART = 128;
/** Longer values are cut: they are compared, not read. */
const VALUE_CHARACTERS = 200;
/** Values of one field that are told apart; a value rarer than the hundredth shows no difference beyond chance. */
const VALUES = 100;
const MAX_ROWS = 20_000;
/**
 * A number of each row that has nothing to do with what it says, and is the same every time: rows are taken in its order. As they
 * lie, the first of a part are often those of one sender.
 */
const CHANCE: Readonly<Record<EventKind, string>> = {
  spans: 'cityHash64(SpanId, Timestamp)',
  logs: 'cityHash64(Timestamp, ObservedTimestamp, TraceId, SpanId, SeverityNumber)',
};

/** How often a value was seen: weighed, so that each sampled row stands for the rows it was taken from; and plain. */
export interface Seen {
  readonly field: string;
  readonly value: string;
  /** True: the beginning of longer values. */
  readonly cut: boolean;
  readonly selection: number;
  readonly rest: number;
  readonly sampledSelection: number;
  readonly sampledRest: number;
  /** Of the sampled rows those in which a named field says the same. */
  readonly named: number;
  /** Parts of the window it was seen in. */
  readonly parts: number;
  /** Values of this field that were seen in all. */
  readonly distinct: number;
  /** The rows that have any of them, weighed. */
  readonly withField: { readonly selection: number; readonly rest: number };
}

/** A sampled row: its side, its weight, and its numbers in the order asked for. */
export interface Numbers {
  readonly selected: boolean;
  readonly weight: number;
  readonly values: readonly (number | null)[];
}

/** Fields that are compared value by value: all that have values, but ids and numbers. */
export function comparedFields(source: Source, leftOut: ReadonlySet<string>): string[] {
  return Object.entries(source.fields)
    .filter(([name, { kind }]) => !leftOut.has(name) && ['text', 'enum', 'level', 'boolean'].includes(kind))
    .map(([name]) => name);
}

/** The sampled rows with some columns, and `Sel`, `W`: the side and the weight of a row. */
function sampleOf(
  context: RequestContext,
  source: Source,
  sides: Sides,
  strata: Strata,
  columnsOf: (params: Params) => string,
): { scope: Scope; sql: string } {
  const { scope: base, selected } = sidesScope(context, source, sides);
  const { params } = base;
  const columns = columnsOf(params);
  const scope = inPieces(base, source, strata.pieces);
  const { whole } = strata;
  const part = partOf(source, scope, sides, selected);
  const rowsOf = (counts: readonly number[]) => params.bind(counts, 'Array(Float64)');
  const weight = `if(Sel, ${rowsOf(strata.selection)}[B + 1], ${rowsOf(strata.rest)}[B + 1]) / count() OVER (PARTITION BY B, Sel)`;
  const limit = whole ? ALL_ROWS : PER_PART;
  const chance = CHANCE[source.signal === 'logs' ? 'logs' : 'spans'];
  // By narrow columns first: sorting maps would cost several times what reading them does.
  const taken = `SELECT H FROM (SELECT ${part} AS B, ${selected} AS Sel, ${chance} AS H ${scope.from} ORDER BY H LIMIT ${limit} BY B, Sel)`;
  const rows = whole ? scope : scope.and(`${chance} GLOBAL IN (${taken})`);
  return {
    scope,
    sql: `(SELECT *, ${weight} AS W FROM (
        SELECT ${part} AS B, ${selected} AS Sel, ${columns} ${rows.from}
        LIMIT ${limit} BY B, Sel LIMIT ${Math.min(MAX_ROWS, limit * STRATA * 2)}))`,
  };
}

/** Values of fields and attributes in both sides. */
export async function sampleValues(
  runner: Runner,
  context: RequestContext,
  source: Source,
  input: { readonly sides: Sides; readonly strata: Strata; readonly fields: readonly string[] },
): Promise<Seen[]> {
  const { sides, strata, fields } = input;
  const attributes = source.mapOf('attributes', 'any');
  const named = (params: Params) =>
    fields.map((name) => {
      const field = source.fields[name];
      return field === undefined ? shownSql(source, name, params) : (fieldText(field) ?? "''");
    });
  const texts = Object.values(source.fields)
    .filter(({ kind }) => kind === 'text')
    .map((field) => fieldText(field) ?? "''");
  const sample = sampleOf(
    context,
    source,
    sides,
    strata,
    (params) => `[${named(params).join(', ')}] AS N, [${texts.join(', ')}] AS Texts,
        ${attributes} AS A, ResourceAttributes AS R, ScopeAttributes AS S`,
  );
  const names = sample.scope.params.bind([...fields], 'Array(String)');
  const pairs = (prefix: string, map: string) =>
    `arrayMap((k, v) -> (concat('${prefix}.', k), v, v != '' AND has(Texts, v)), mapKeys(${map}), mapValues(${map}))`;
  const rows = await runner.run<{
    F: string;
    V: string;
    Cut: number;
    WS: number;
    WR: number;
    NS: number;
    NR: number;
    Named: number;
    Parts: number;
    D: number;
    FS: number;
    FR: number;
  }>(
    sample.scope,
    `SELECT F, V, Cut, WS, WR, NS, NR, Named, Parts, D, FS, FR FROM (
       SELECT P.1 AS F, substringUTF8(P.2, 1, ${VALUE_CHARACTERS}) AS V, max(V != P.2) AS Cut,
         sumIf(W, Sel) AS WS, sumIf(W, NOT Sel) AS WR, countIf(Sel) AS NS, countIf(NOT Sel) AS NR,
         countIf(P.3) AS Named, uniqExact(B) AS Parts,
         count() OVER (PARTITION BY F) AS D, sum(WS) OVER (PARTITION BY F) AS FS, sum(WR) OVER (PARTITION BY F) AS FR
       FROM (
         SELECT B, Sel, W, arrayJoin(arrayConcat(
           arrayFilter(p -> p.2 != '', arrayMap((f, v) -> (f, v, 0), ${names}, N)),
           ${pairs('attributes', 'A')}, ${pairs('resource', 'R')}, ${pairs('scope', 'S')})) AS P
         FROM ${sample.sql})
       GROUP BY F, V)
     ORDER BY greatest(NS, NR) DESC, V LIMIT ${VALUES} BY F`,
  );
  return rows.map((row) => ({
    field: row.F,
    value: row.V,
    cut: row.Cut === 1,
    selection: row.WS,
    rest: row.WR,
    sampledSelection: row.NS,
    sampledRest: row.NR,
    named: row.Named,
    parts: row.Parts,
    distinct: row.D,
    withField: { selection: row.FS, rest: row.FR },
  }));
}

/** The numbers of every sampled row. */
export async function sampleNumbers(
  runner: Runner,
  context: RequestContext,
  source: Source,
  input: { readonly sides: Sides; readonly strata: Strata; readonly fields: readonly string[] },
): Promise<Numbers[]> {
  const numbers = input.fields.map((name) => {
    const field = source.fields[name];
    return field?.kind === 'number'
      ? `if(${field.exists}, toFloat64(${field.sql}) / ${field.scale}, NULL)`
      : 'NULL';
  });
  const sample = sampleOf(
    context,
    source,
    input.sides,
    input.strata,
    () => `CAST([${numbers.join(', ')}], 'Array(Nullable(Float64))') AS X`,
  );
  const rows = await runner.run<{ Sel: number; W: number; X: (number | null)[] }>(
    sample.scope,
    `SELECT Sel, W, X FROM ${sample.sql}`,
  );
  return rows.map(({ Sel, W, X }) => ({ selected: Sel === 1, weight: W, values: X }));
}
