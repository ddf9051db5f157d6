import type { RecordKind } from '@candela/contract/filter';
import { Bookmark } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Popover } from '../../ui/popover.tsx';

const SavedViewsPanel = lazy(() => import('./saved-views-panel.tsx'));

/** Views of this page that the project keeps under names: open, save, rename, replace, delete. */
export function SavedViewsMenu(props: {
  /** Path of the page without its slash: `traces`. */
  page: string;
  /** Whose facets the page has. */
  signal: RecordKind;
}) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      label="Saved views"
      open={open}
      onOpenChange={setOpen}
      className="w-96 max-w-[92vw]"
      trigger={
        <Button className="h-8" title="Saved views of the project">
          <Bookmark size={14} className="text-muted" aria-hidden />
          Views
        </Button>
      }
    >
      <Suspense fallback={<div role="status" aria-label="Loading" className="skeleton m-3 h-24" />}>
        <SavedViewsPanel page={props.page} signal={props.signal} onDone={() => setOpen(false)} />
      </Suspense>
    </Popover>
  );
}
