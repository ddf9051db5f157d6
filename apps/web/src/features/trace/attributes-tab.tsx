import type { SpanDetail } from '@candela/contract';
import { Link } from '@tanstack/react-router';
import { ListFilter } from 'lucide-react';
import { AttributeGroups, groupsOf } from '../explore/attributes.tsx';
import { FacetToggle } from '../explore/facet-toggle.tsx';
import { valueTerm } from '../explore/filter-term.ts';

/** Everything the sender attached: span, resource and scope; a click finds the traces that have it too. */
export default function AttributesTab({ detail }: { detail: SpanDetail }) {
  return (
    <AttributeGroups
      groups={groupsOf('Span', detail)}
      actions={({ key, field, value }) => (
        <>
          <Link
            to="/traces"
            search={{ q: valueTerm(field, value) }}
            aria-label={`Find traces with this ${key}`}
            title="Find traces with this value"
            className="inline-flex h-5 min-w-6 items-center justify-center rounded text-muted hover:text-text"
          >
            <ListFilter size={13} aria-hidden />
          </Link>
          <FacetToggle signal="spans" field={field} name={key} />
        </>
      )}
    />
  );
}
