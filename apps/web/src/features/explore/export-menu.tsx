import { Download } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Popover } from '../../ui/popover.tsx';
import type { ExportAbout } from './export-form.tsx';
import { forgetProgress, useExportProgress } from './export-progress.ts';

const ExportForm = lazy(() => import('./export-form.tsx'));

/** Downloads what matches: format, columns, bound, progress. A download goes on when it is closed, and shows on its button. */
export function ExportMenu(props: ExportAbout) {
  const [open, setOpen] = useState(false);
  const { state, text, size } = useExportProgress();
  const running = state === 'running';
  return (
    <>
      <Popover
        label="Export"
        open={open}
        onOpenChange={(next) => {
          setOpen(next);
          if (!next) forgetProgress();
        }}
        className="w-96 max-w-[92vw] p-3"
        trigger={
          <Button
            look="plain"
            className="h-8"
            // Not the figures, which change all the time: they would be read out each time.
            aria-label={running || state === 'failed' ? `Export, ${state}` : 'Export'}
            title={(!running && text) || 'Export the matching rows'}
          >
            <Download size={15} aria-hidden />
            {running && (
              <span aria-hidden data-size={size} className="text-sm before:content-[attr(data-size)]" />
            )}
            {state === 'failed' && <span className="text-sm text-danger">failed</span>}
          </Button>
        }
      >
        <Suspense fallback={<div role="status" aria-label="Loading" className="skeleton h-40" />}>
          <ExportForm {...props} />
        </Suspense>
      </Popover>
      {/* The form says it where it is open. */}
      <span aria-live="polite" className="sr-only">
        {open || running ? '' : text}
      </span>
    </>
  );
}
