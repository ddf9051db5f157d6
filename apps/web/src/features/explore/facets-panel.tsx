import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { facetsQuery, type Scope } from '../../api/telemetry.ts';
import { cx } from '../../lib/cx.ts';
import { namedValuesOf, valuesOf, withoutField } from '../../lib/query-text.ts';
import { Button } from '../../ui/button.tsx';
import { Popover } from '../../ui/popover.tsx';
import { FailureLine } from '../../ui/states.tsx';
import { asBefore, withChosen } from './chosen-values.ts';
import { Estimated } from './estimated.tsx';
import type { ExploreConfig } from './explore-config.ts';
import { useAddedFacets, useFolded } from './facet-fields.ts';
import { FacetGroup } from './facet-group.tsx';
import { FacetsPopover } from './facets-popover.tsx';

const AddedFacets = lazy(() => import('./added-facets.tsx'));
const FacetPicker = lazy(() => import('./facet-picker.tsx'));

interface FacetsProps {
  config: ExploreConfig;
  scope: Scope;
  onChange: (q: string) => void;
  /** What the rows are, where something else is counted. */
  rows: string | undefined;
}

/** The facets beside the rows; a narrow window has them behind a button. */
export function FacetsPanel(props: FacetsProps) {
  return (
    <aside
      aria-label="Facets"
      className="w-52 shrink-0 overflow-auto border-r border-line px-2 py-2 max-lg:hidden xl:w-56"
    >
      <Facets {...props} />
    </aside>
  );
}

/** The same facets behind a button that only a narrow window has. */
export function FacetsButton(props: FacetsProps) {
  return (
    <FacetsPopover>
      <Facets {...props} />
    </FacetsPopover>
  );
}

/** The most frequent values under the query: of the page's fields, then of those that the person added. */
function Facets(props: FacetsProps) {
  const { q } = props.scope;
  const { signal, facets, noun } = props.config;
  const folded = useFolded(props.config);
  const added = useAddedFacets(signal);
  const [picking, setPicking] = useState(false);
  const adder = useRef<HTMLButtonElement>(null);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...facetsQuery(props.scope, facets, { signal }),
    placeholderData: keepPreviousData,
  });
  // What was chosen of a field must not hide the field's other values: those are counted without its own term.
  const asked = facets.filter((field) => valuesOf(q, field).length > 0);
  const others = useQueries({
    queries: asked.map((field) => ({
      ...facetsQuery({ ...props.scope, q: withoutField(q, field) }, [field], { signal }),
      placeholderData: keepPreviousData,
    })),
  });
  const groups = facets.flatMap((field) => {
    const found = [others[asked.findIndex((one) => one === field)]?.data, data].find((answer) => answer);
    // What was chosen is counted with it, and may be none of the most frequent.
    const told = data?.data.find((facet) => facet.field === field);
    const own = isPlaceholderData ? asBefore(told) : told;
    const shown = found?.data
      .filter((facet) => facet.field === field)
      .map((facet) => withChosen(facet, namedValuesOf(q, field), own))
      .filter((facet) => facet.values.length > 0);
    return (shown ?? []).map((facet) => ({ facet, sample: found?.sample ?? null }));
  });
  const sample = isPlaceholderData ? null : (data?.sample ?? null);
  const counted = props.rows !== undefined && props.rows !== noun;
  return (
    <>
      {(counted || sample !== null) && (
        <p className="mb-1 flex flex-wrap justify-end gap-x-2 pr-1 text-xs text-muted">
          {counted && (
            <span title={`A value's number is of the ${noun} that fit the search, not of ${props.rows}`}>
              number of {noun}
            </span>
          )}
          {sample !== null && <Estimated sample={sample} noun={noun} />}
        </p>
      )}
      <div className={cx(isPlaceholderData && 'opacity-60')}>
        {data === undefined && !error && (
          <div role="status" aria-label="Loading facets" className="flex flex-col gap-2 p-1">
            {Array.from({ length: 14 }, (_, index) => (
              <div key={index} className="skeleton h-4" style={{ width: `${50 + ((index * 29) % 45)}%` }} />
            ))}
          </div>
        )}
        {error && (
          <FailureLine
            what="Facets"
            error={error}
            onRetry={() => void refetch()}
            className="p-1 wrap-anywhere"
          />
        )}
        {groups.map(({ facet, sample: ofFacet }) => (
          <FacetGroup
            key={facet.field}
            facet={facet}
            noun={noun}
            estimated={ofFacet !== null}
            term={facet.field}
            q={q}
            isFolded={folded.names.includes(facet.field)}
            onFold={() => folded.toggle(facet.field)}
            onChange={props.onChange}
          />
        ))}
      </div>
      {added.fields.length > 0 && (
        <Suspense>
          <AddedFacets
            {...props}
            fields={added.fields}
            folded={folded}
            onRemove={(field) => {
              // The button that was pressed goes with its facet.
              adder.current?.focus();
              added.remove(field);
            }}
          />
        </Suspense>
      )}
      <Popover
        label="Add a facet"
        align="start"
        className="w-80 max-w-[92vw] p-1"
        open={picking}
        onOpenChange={setPicking}
        trigger={
          <Button ref={adder} look="plain" className="w-full justify-start px-0.5 text-sm">
            <Plus size={13} aria-hidden />
            Add facet
          </Button>
        }
      >
        <Suspense fallback={<div role="status" aria-label="Loading" className="skeleton m-2 h-24" />}>
          <FacetPicker
            signal={signal}
            scope={props.scope}
            taken={new Set<string>([...facets, ...added.fields])}
            full={added.full}
            onAdd={(field) => {
              setPicking(false);
              added.add(field);
            }}
          />
        </Suspense>
      </Popover>
    </>
  );
}
