import { lazy, Suspense } from 'react';
import type { Scope } from '../../api/telemetry.ts';
import { Popover } from '../../ui/popover.tsx';
import { SkeletonRows } from '../../ui/states.tsx';

const ReachFigures = lazy(() => import('./reach-figures.tsx'));

/** Whom and what the spans of the search touch. Asked for when it is opened: it reads every span of the search. */
export function Reach({ scope }: { scope: Scope }) {
  return (
    <Popover
      label="Unique counts"
      align="start"
      className="w-64 p-3"
      trigger={
        <button
          type="button"
          title="Traces, sessions, users, cost and tokens of these spans"
          className="h-6 rounded px-1 text-accent hover:bg-hover"
        >
          Unique counts
        </button>
      }
    >
      <Suspense fallback={<SkeletonRows label="Counting" rows={6} />}>
        <ReachFigures scope={scope} />
      </Suspense>
    </Popover>
  );
}
