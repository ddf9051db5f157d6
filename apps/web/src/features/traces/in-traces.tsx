import type { Measure } from '@candela/contract';
import { hashKey, useIsFetching, useQuery } from '@tanstack/react-query';
import { aggregateQuery } from '../../api/explore.ts';
import type { Scope } from '../../api/telemetry.ts';
import { exact, formatCount, nounOf } from '../../lib/format.ts';
import { useDebounced } from '../../lib/use-debounced.ts';

const MEASURES = ['traces'] as const satisfies readonly Measure[];
/** Up to so many are counted one by one. */
const EXACT = 65_536;
const STALE_MS = 60_000;

/** What is looked at before this number, by the first part of their keys: the rows, the facets, the chart. */
const FIRST: readonly unknown[] = ['traces', 'facets', 'aggregate'];
/** Until all of that is asked for. */
const DEBOUNCE_MS = 100;

/**
 * In how many traces the spans of the search are. It reads every one of them, so rows and facets come first, and where it would
 * read too many nothing is said, as until it is known: the number of another search would stand beside the spans of this one.
 */
export default function InTraces({ scope }: { scope: Scope }) {
  const own = aggregateQuery(scope, { measures: [...MEASURES] });
  const name = hashKey(own.queryKey);
  const firstComing =
    useIsFetching({
      predicate: ({ queryKey, queryHash }) => FIRST.includes(queryKey[0]) && queryHash !== name,
    }) > 0;
  const isRested = useDebounced(name, DEBOUNCE_MS) === name;
  const { data } = useQuery({
    ...own,
    enabled: isRested && !firstComing,
    // More rows, fetched while somebody scrolls, are no reason to count again.
    staleTime: STALE_MS,
    retry: false,
  });
  const traces = data?.data.rows[0]?.values[0];
  if (traces === undefined || traces === null) return null;
  return (
    <span
      title={`${traces > EXACT ? 'About ' : ''}${exact(traces)} ${nounOf(traces, 'traces')} hold these spans`}
    >
      in <span className="font-medium text-text">{formatCount(traces)}</span> {nounOf(traces, 'traces')}
    </span>
  );
}
