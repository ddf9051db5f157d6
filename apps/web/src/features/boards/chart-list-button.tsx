import type { Panel } from '@candela/contract';
import { ChartColumn } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Scope } from '../../api/telemetry.ts';
import { Button } from '../../ui/button.tsx';

const ChartList = lazy(() => import('./chart-list.tsx'));

/** What a list is charted from: its name, and its search as the scope. */
export interface Charted {
  /** What is counted at first: `traces`. */
  readonly title: string;
  readonly start: Panel['query'];
  readonly scope: Scope;
}

/** Makes a chart of a list: measured, grouped, split, over time; and leads to a dashboard with it. */
export function ChartListButton(props: Charted) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button className="h-8" title={`Make a chart of these ${props.title}`} onClick={() => setOpen(true)}>
        <ChartColumn size={14} className="text-muted" aria-hidden />
        Chart this
      </Button>
      {open && (
        <Suspense>
          <ChartList {...props} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

/** Rows of a signal as they are counted at first; what is searched for is part of the chart. */
export const rowsCharted = (
  signal: 'spans' | 'logs',
  measure: 'count' | 'traces' | 'sessions' | 'users',
  q: string,
): Panel['query'] => ({
  kind: 'aggregate',
  body: {
    signal,
    ...(q.trim() === '' ? {} : { q }),
    groupBy: [],
    measures: [measure],
    bucketSeconds: 'auto',
    limit: 8,
    comparePrevious: false,
  },
});
