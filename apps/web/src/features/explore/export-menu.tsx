import type { ExportSignal } from '@candela/contract';
import { Download } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { CatalogueFilter } from '../../api/metrics.ts';
import type { Scope } from '../../api/telemetry.ts';
import { Button } from '../../ui/button.tsx';
import { Popover } from '../../ui/popover.tsx';

const ExportForm = lazy(() => import('./export-form.tsx'));

/** Downloads what matches: format, bound, progress. */
export function ExportMenu(props: {
  signal: ExportSignal;
  scope: Scope;
  /** What the rows are, in the plural. */
  noun: string;
  /** What narrows the catalogue of metrics. */
  metrics?: CatalogueFilter | undefined;
}) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      label="Export"
      open={open}
      onOpenChange={setOpen}
      className="w-96 max-w-[92vw] p-3"
      trigger={
        <Button look="plain" className="h-8" aria-label="Export" title="Export the matching rows">
          <Download size={15} aria-hidden />
        </Button>
      }
    >
      <Suspense fallback={<div role="status" aria-label="Loading" className="skeleton h-40" />}>
        <ExportForm {...props} />
      </Suspense>
    </Popover>
  );
}
