import type { LogDetail } from '@candela/contract';
import { ListFilter, ListX } from 'lucide-react';
import type { ReactNode } from 'react';
import { AttributeGroups, groupsOf } from '../explore/attributes.tsx';
import { FacetToggle } from '../explore/facet-toggle.tsx';
import { valueTerm } from '../explore/filter-term.ts';

/** Everything that came with the record; a click on a value filters the list by it. */
export function LogAttributes({ detail, onFilter }: { detail: LogDetail; onFilter: (term: string) => void }) {
  return (
    <AttributeGroups
      groups={groupsOf('Record', detail)}
      actions={({ key, field, value }) => (
        <>
          <FilterButton
            label={`Only records with this ${key}`}
            onClick={() => onFilter(valueTerm(field, value))}
          >
            <ListFilter size={13} aria-hidden />
          </FilterButton>
          <FilterButton
            label={`No records with this ${key}`}
            onClick={() => onFilter(`-${valueTerm(field, value)}`)}
          >
            <ListX size={13} aria-hidden />
          </FilterButton>
          <FacetToggle signal="logs" field={field} name={key} />
        </>
      )}
    />
  );
}

function FilterButton(props: { label: string; onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-label={props.label}
      title={props.label}
      onClick={props.onClick}
      className="inline-flex h-5 min-w-6 items-center justify-center rounded text-muted hover:text-text"
    >
      {props.children}
    </button>
  );
}
