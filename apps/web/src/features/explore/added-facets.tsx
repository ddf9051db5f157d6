import { printFieldName } from '@candela/contract/filter';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { facetsQuery, type Scope } from '../../api/telemetry.ts';
import { cx } from '../../lib/cx.ts';
import { namedValuesOf, withoutField } from '../../lib/query-text.ts';
import { FailureLine } from '../../ui/states.tsx';
import { asBefore, withChosen } from './chosen-values.ts';
import { Estimated } from './estimated.tsx';
import type { ExploreConfig } from './explore-config.ts';
import type { useFolded } from './facet-fields.ts';
import { FacetGroup, facetLabel } from './facet-group.tsx';

interface Props {
  config: ExploreConfig;
  scope: Scope;
  folded: ReturnType<typeof useFolded>;
  onChange: (q: string) => void;
  onRemove: (field: string) => void;
}

/** The facets that a person added: each asked by itself, so that one which cannot be had leaves the others. */
export default function AddedFacets({ fields, ...props }: Props & { fields: readonly string[] }) {
  return fields.map((field) => <AddedFacet key={field} field={field} {...props} />);
}

function AddedFacet({ field, config, scope, folded, ...props }: Props & { field: string }) {
  const term = printFieldName(field);
  const isFolded = folded.names.includes(field);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    // What was chosen of the field must not hide its other values.
    ...facetsQuery({ ...scope, q: withoutField(scope.q, term) }, [field], { signal: config.signal }),
    placeholderData: keepPreviousData,
    enabled: !isFolded,
  });
  const facet = data?.data[0];
  const chosen = namedValuesOf(scope.q, term);
  const isMissing =
    !isPlaceholderData &&
    chosen.some((value) => facet?.values.every((listed) => listed.value !== value) ?? false);
  // What was chosen and is none of the most frequent is counted with its own term.
  const own = useQuery({
    ...facetsQuery(scope, [field], { signal: config.signal }),
    placeholderData: keepPreviousData,
    enabled: !isFolded && isMissing,
  });
  const counted = own.data?.data[0];
  const shown = withChosen(
    facet ?? { field, values: [], more: false },
    facet ? chosen : [],
    own.isPlaceholderData ? asBefore(counted) : counted,
  );
  const sample = data?.sample ?? null;
  const label = facetLabel(field);
  return (
    <div className={cx(isPlaceholderData && 'opacity-60')}>
      <FacetGroup
        facet={shown}
        noun={config.noun}
        estimated={sample !== null}
        term={term}
        q={scope.q}
        isFolded={isFolded}
        onFold={() => folded.toggle(field)}
        onChange={props.onChange}
        action={
          <>
            {sample !== null && !isPlaceholderData && (
              <Estimated sample={sample} noun={config.noun} className="pt-0.5 pr-1 text-xs" />
            )}
            <button
              type="button"
              aria-label={`Remove the facet ${label}`}
              title="Remove this facet"
              onClick={() => {
                if (isFolded) folded.toggle(field);
                props.onRemove(field);
              }}
              className="flex h-6 min-w-6 shrink-0 items-center justify-center rounded text-muted opacity-0 group-focus-within/head:opacity-100 group-hover/head:opacity-100 hover:text-text focus:opacity-100 pointer-coarse:opacity-100"
            >
              <X size={13} aria-hidden />
            </button>
          </>
        }
      >
        {error ? (
          <FailureLine
            what={label}
            error={error}
            onRetry={() => void refetch()}
            className="mb-2 pl-1.5 wrap-anywhere"
          />
        ) : facet === undefined ? (
          <div role="status" aria-label={`Loading ${label}`} className="mb-2 flex flex-col gap-2 p-1">
            <div className="skeleton h-4 w-4/5" />
            <div className="skeleton h-4 w-3/5" />
          </div>
        ) : shown.values.length === 0 ? (
          <p className="mb-2 pl-1.5 text-sm text-muted">Nothing here has it.</p>
        ) : undefined}
      </FacetGroup>
    </div>
  );
}
