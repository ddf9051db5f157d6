import {
  type FieldDefinition,
  type FieldInfo,
  FIELDS,
  type EventKind,
  type Filter,
  type MapSource,
} from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { fieldExists } from '../core/field-text.ts';
import { newestWidePart } from '../core/newest.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import type { Source } from '../core/source.ts';
import { scoreNames } from '../scores/names.ts';
import { fold, foldedSql } from '../core/fold.ts';

export interface FieldsInput {
  readonly window: Window;
  readonly filter: Filter | undefined;
  /** Only fields whose name begins with it, or whose key contains it; any case. */
  readonly prefix: string;
}

export interface FieldList {
  readonly sampled: number;
  readonly fields: FieldInfo[];
  readonly more: boolean;
}

/** Rows that are looked at for attribute keys. */
const FIELDS_SAMPLE = 5_000;
const MAX_KEYS = 1_000;
const MAX_SCORES = 100;

interface Sampled {
  readonly Source: MapSource;
  readonly Key: string;
  readonly Letters: string[];
  readonly C: number;
}

/** The map columns of a signal with its attributes in the order of `AttributeTypes`. */
const ATTRIBUTE_MAPS: Record<EventKind, readonly string[]> = {
  spans: ['SpanAttributes', 'ContentAttributes'],
  logs: ['LogAttributes'],
};

/** Named fields and the attribute keys of the newest matching rows. */
export async function listFields(
  runner: Runner,
  context: RequestContext,
  source: Source & { readonly signal: EventKind },
  input: FieldsInput,
): Promise<FieldList> {
  const limit = (scope: Scope) => scope.matching(input.filter);
  const { window } = await newestWidePart(runner, context, source, {
    window: input.window,
    rows: FIELDS_SAMPLE,
    limit,
  });
  const named = Object.entries(FIELDS as Readonly<Record<string, FieldDefinition>>).filter(
    ([, { signals }]) => signals.includes(source.signal),
  );
  const wanted = fold(input.prefix);
  const sample = (columns: string): { scope: Scope; sql: string } => {
    const scope = limit(Scope.of(context, source).during(window));
    return {
      scope,
      sql: `(SELECT ${columns} ${scope.from} ORDER BY ${source.time} DESC LIMIT ${FIELDS_SAMPLE})`,
    };
  };

  const ofScores = source.signal === 'spans' ? scoreFields(runner, context, window, wanted) : [];

  const counted = sample(
    named
      .map(([name], index) => {
        const field = source.fields[name];
        const cheap = field?.kind === 'words' ? field.mayExist : undefined;
        return `${cheap ?? (field === undefined ? '0' : fieldExists(field))} AS E${index}`;
      })
      .join(', '),
  );
  const counts = runner.run<{ Sampled: number; Rows: number[] }>(
    counted.scope,
    `SELECT count() AS Sampled, [${named.map((_, index) => `countIf(E${index})`).join(', ')}] AS Rows FROM ${counted.sql}`,
  );

  const maps = ATTRIBUTE_MAPS[source.signal].map((map) => `mapKeys(${map})`);
  const listed = sample(
    `arrayConcat(${maps.join(', ')}) AS A, AttributeTypes AS T,
     mapKeys(ResourceAttributes) AS R, mapKeys(ScopeAttributes) AS S`,
  );
  const { params } = listed.scope;
  const prefix = params.bind(wanted, 'String');
  const keys = runner.run<Sampled>(
    listed.scope,
    `SELECT K.1 AS Source, K.2 AS Key, groupUniqArray(10)(K.3) AS Letters, count() AS C FROM (
       SELECT arrayJoin(arrayConcat(
         arrayMap((k, i) -> ('attributes', k, substring(T, i, 1)), A, arrayEnumerate(A)),
         arrayMap(k -> ('resource', k, 's'), R), arrayMap(k -> ('scope', k, 's'), S))) AS K
       FROM ${listed.sql})
     WHERE startsWith(${foldedSql("concat(K.1, '.', K.2)", wanted)}, ${prefix}) OR position(${foldedSql('K.2', wanted)}, ${prefix}) > 0
     GROUP BY Source, Key ORDER BY C DESC, Source, Key LIMIT ${MAX_KEYS + 1}`,
  );

  const [[total], found, scores] = await Promise.all([counts, keys, ofScores]);
  const fields = named.flatMap(([name, definition], index): FieldInfo[] => {
    const names = [name, ...(definition.aliases ?? [])];
    if (!names.some((one) => one.includes(wanted))) return [];
    const { type, description } = definition;
    return [{ field: name, source: 'named', type, description, rows: total?.Rows[index] ?? 0 }];
  });
  const seen = found.slice(0, MAX_KEYS).map(
    (row): FieldInfo => ({
      field: `${row.Source}.${row.Key}`,
      source: row.Source,
      type: typeOf(row.Letters),
      description: '',
      rows: row.C,
    }),
  );
  return {
    sampled: total?.Sampled ?? 0,
    fields: [...fields, ...scores, ...seen],
    more: found.length > MAX_KEYS,
  };
}

/** Names of scores as fields; their rows are the scores since the window began. */
async function scoreFields(
  runner: Runner,
  context: RequestContext,
  { from }: Window,
  wanted: string,
): Promise<FieldInfo[]> {
  const names = await scoreNames(runner, context, { since: from, limit: MAX_SCORES });
  return names.flatMap(({ name, scores }): FieldInfo[] =>
    fold(`score.${name}`).includes(wanted)
      ? [{ field: `score.${name}`, source: 'score', type: 'string', description: 'Score', rows: scores }]
      : [],
  );
}

/** The type of a key from the letters of its values; nulls and missing letters say nothing against it. */
function typeOf(letters: readonly string[]): FieldInfo['type'] {
  const kinds = new Set(
    letters.filter((letter) => letter !== 'n').map((letter) => KINDS.get(letter) ?? 'string'),
  );
  const [only] = kinds;
  if (kinds.size > 1) return 'mixed';
  return only ?? 'string';
}

const KINDS: ReadonlyMap<string, FieldInfo['type']> = new Map([
  ['i', 'number'],
  ['d', 'number'],
  ['b', 'boolean'],
]);
