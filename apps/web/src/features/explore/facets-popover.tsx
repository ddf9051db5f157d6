import { ListFilter } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Popover } from '../../ui/popover.tsx';

/** Facets in a panel of a button, which only a narrow window has; `chosen` counts what nothing else there shows as chosen. */
export function FacetsPopover({ chosen = 0, children }: { chosen?: number; children: ReactNode }) {
  return (
    <Popover
      label="Facets"
      align="start"
      className="w-64 p-2"
      trigger={
        <Button className="h-8 lg:hidden" title="Filter by the most frequent values">
          <ListFilter size={14} className="text-muted" aria-hidden />
          Facets
          {chosen > 0 && <span className="text-muted">{chosen} chosen</span>}
        </Button>
      }
    >
      {children}
    </Popover>
  );
}
