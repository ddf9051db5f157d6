import type { EventKind } from '@candela/contract';
import { ListChecks, ListPlus } from 'lucide-react';
import { cx } from '../../lib/cx.ts';
import { useAddedFacets } from './facet-fields.ts';

/** Beside an attribute: makes a facet of its key, or takes it out again. */
export function FacetToggle(props: { signal: EventKind; field: string; name: string }) {
  const { fields, full, add, remove } = useAddedFacets(props.signal);
  const isFacet = fields.includes(props.field);
  const Icon = isFacet ? ListChecks : ListPlus;
  return (
    <button
      type="button"
      aria-label={isFacet ? `Remove the facet ${props.name}` : `Add ${props.name} as facet`}
      title={
        isFacet
          ? 'A facet: remove it'
          : full
            ? `At most ${fields.length} custom facets: remove one first`
            : 'Add as facet'
      }
      disabled={full && !isFacet}
      onClick={() => (isFacet ? remove : add)(props.field)}
      className={cx(
        'inline-flex h-5 min-w-6 items-center justify-center rounded hover:text-text disabled:opacity-50',
        isFacet ? 'text-accent' : 'text-muted',
      )}
    >
      <Icon size={13} aria-hidden />
    </button>
  );
}
