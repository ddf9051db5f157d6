import { Braces } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import type { OpenQuery } from './open-query.tsx';

const OpenQueryDialog = lazy(() => import('./open-query.tsx'));

/** Opens the request, or the requests, behind a list or a chart. */
export function OpenQueryButton(props: {
  title: string;
  query: OpenQuery | readonly OpenQuery[];
  className?: string;
}) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        look="plain"
        className={props.className ?? 'h-8'}
        aria-label={`Open ${props.title} as query`}
        title="Open as query"
        onClick={() => setOpen(true)}
      >
        <Braces size={15} aria-hidden />
      </Button>
      {open && (
        <Suspense>
          <OpenQueryDialog
            title={props.title}
            queries={[props.query].flat()}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
