import type { FilterCompletion, RecordKind, EventKind } from '@candela/contract/filter';
import { hashKey, keepPreviousData, type Query, type QueryKey, useQuery } from '@tanstack/react-query';
import { fieldsQuery, fieldValuesQuery } from '../../api/explore.ts';
import { facetsQuery, type Scope } from '../../api/telemetry.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import type { ExploreConfig } from './explore-config.ts';
import { recentQueries } from './recent-queries.ts';
import type { useGrammar } from './use-grammar.ts';

export interface Suggestion {
  readonly insert: string;
  readonly label: string;
  readonly hint: string;
  readonly count?: number;
  /** A whole search of before, not a part of this one. */
  readonly recent?: true;
}

/** What may be written at the cursor and where it goes. */
export interface Suggestions {
  readonly at: Pick<FilterCompletion, 'kind' | 'from' | 'to' | 'typed'>;
  readonly list: readonly Suggestion[];
}

const MOST = 50;
/** Characters that values are searched by. */
const MOST_SEARCHED = 200;
/** Typing rests for this long before the server is asked. */
const DEBOUNCE_MS = 150;
const NOTHING_AT: FilterCompletion = {
  kind: 'none',
  from: 0,
  to: 0,
  typed: '',
  field: undefined,
  options: [],
};
const asks = (signal: RecordKind): signal is EventKind => signal === 'spans' || signal === 'logs';

/** What a query is about besides what was typed, which its key ends with. */
const about = (key: QueryKey): string => hashKey(key.slice(0, -1));
/** Values of the same field stay while what was typed on is looked up; those of another one would be none of it. */
const ofSameField =
  (key: QueryKey) =>
  <Data>(before: Data | undefined, query: Pick<Query, 'queryKey'> | undefined): Data | undefined =>
    query !== undefined && about(query.queryKey) === about(key) ? before : undefined;

/** Values as suggestions: those that begin with what was typed, then those that hold it; each once. */
export function mergeValues(
  known: readonly Suggestion[],
  seen: readonly { readonly value: string; readonly count: number }[],
  typed: string,
  insertOf: (value: string) => string,
): Suggestion[] {
  const wanted = typed.toLowerCase();
  const merged = new Map<string, Suggestion>();
  for (const { value, count } of seen) {
    if (value === '' || !value.toLowerCase().includes(wanted) || merged.has(value)) continue;
    merged.set(value, { insert: insertOf(value), label: value, hint: '', count });
  }
  for (const option of known) if (!merged.has(option.label)) merged.set(option.label, option);
  const rank = (one: Suggestion) => (one.label.toLowerCase().startsWith(wanted) ? 0 : 1);
  return [...merged.values()].sort((a, b) => rank(a) - rank(b)).slice(0, MOST);
}

/** Fields, operators and values that can be written at the cursor; searches of before while there is nothing. */
export function useSuggestions(options: {
  /** Absent as long as it has not come: then nothing is offered. */
  grammar: ReturnType<typeof useGrammar>;
  config: ExploreConfig;
  scope: Scope;
  text: string;
  cursor: number;
  open: boolean;
}): Suggestions {
  const { grammar, config, scope, text, cursor, open } = options;
  const { signal } = config;
  const at = grammar?.completeFilter(text, cursor, signal) ?? NOTHING_AT;
  const typed = useDebounced(at.typed, DEBOUNCE_MS);
  const field = at.kind === 'value' ? at.field : undefined;
  const hasValues = field !== undefined && grammar?.hasValues(field, signal) === true;
  // Exceptions have no values but those that are counted.
  const isCounted = signal === 'exceptions' && hasValues;
  const isFacet = field !== undefined && (isCounted || config.facets.includes(field));
  const facets = facetsQuery({ ...scope, q: '' }, [isFacet ? field : 'service'], {
    signal,
    limit: MOST,
    ...(isCounted && typed !== '' ? { search: typed.slice(0, MOST_SEARCHED) } : {}),
  });
  const counted = useQuery({
    ...facets,
    enabled: open && isFacet,
    placeholderData: ofSameField(facets.queryKey),
  });
  const knowsAll = isFacet && counted.data?.data[0]?.more === false;
  const values = fieldValuesQuery(scope, asks(signal) ? signal : 'spans', field ?? '', typed);
  const searched = useQuery({
    ...values,
    enabled:
      open &&
      asks(signal) &&
      hasValues &&
      at.options.length === 0 &&
      (!isFacet || (counted.isSuccess && !knowsAll)),
    placeholderData: ofSameField(values.queryKey),
    retry: false,
  });
  const keys = useQuery({
    ...fieldsQuery(scope, asks(signal) ? signal : 'spans', typed),
    enabled: open && asks(signal) && at.kind === 'field' && typed !== '',
    placeholderData: keepPreviousData,
    retry: false,
  });
  const recent = recentQueries(signal).use();
  if (!open || grammar === undefined) return { at, list: [] };
  if (text.trim() === '') {
    const before = recent.map(
      (query): Suggestion => ({ insert: query, label: query, hint: 'recent', recent: true }),
    );
    return { at, list: [...before, ...at.options].slice(0, MOST) };
  }
  if (at.kind === 'value') {
    const seen = [
      ...(isFacet ? (counted.data?.data[0]?.values ?? []) : []),
      ...(searched.isSuccess ? searched.data : []),
    ];
    return { at, list: mergeValues(at.options, seen, at.typed, grammar.completionValue) };
  }
  if (at.kind !== 'field') return { at, list: at.options };
  const wanted = at.typed.toLowerCase();
  const found = (keys.data ?? [])
    // A key that is empty cannot be written.
    .filter(({ field: name, source }) => source !== 'named' && name !== `${source}.`)
    .filter((key) => key.field.toLowerCase().includes(wanted))
    .map(
      (key): Suggestion => ({ insert: grammar.completionField(key.field), label: key.field, hint: key.type }),
    );
  return { at, list: [...at.options, ...found].slice(0, MOST) };
}
