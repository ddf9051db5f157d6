import { CatchBoundary } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { Failure } from './states.tsx';

/** A part whose code comes when it is opened: what stands in its place until then, and when it does not come. */
export function Late(props: { fallback?: ReactNode; children: ReactNode }) {
  return (
    <CatchBoundary
      getResetKey={() => 0}
      errorComponent={({ error, reset }) => <Failure error={error} onRetry={reset} />}
    >
      <Suspense fallback={props.fallback}>{props.children}</Suspense>
    </CatchBoundary>
  );
}
