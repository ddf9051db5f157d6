import { useNavigate, useSearch } from '@tanstack/react-router';
import { Sparkles } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../ui/button.tsx';

const AnalysisPanel = lazy(() => import('./analysis-panel.tsx'));

/** Opens the AI analyses of the trace on screen. */
export default function AnalysisButton({ rootSpanId }: { rootSpanId: string }) {
  const [open, setOpen] = useState(false);
  const navigate = useNavigate();
  const search: { span?: string } = useSearch({ strict: false });
  return (
    <>
      <Button className="h-6" onClick={() => setOpen(true)}>
        <Sparkles size={13} aria-hidden />
        Analyse
      </Button>
      <Suspense>
        {open && (
          <AnalysisPanel
            rootSpanId={rootSpanId}
            selectedSpanId={search.span}
            onSpan={(span) => {
              setOpen(false);
              void navigate({ to: '.', search: (before) => ({ ...before, span }) });
            }}
            onClose={() => setOpen(false)}
          />
        )}
      </Suspense>
    </>
  );
}
