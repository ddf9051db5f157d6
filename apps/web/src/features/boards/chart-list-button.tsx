import type { Panel } from '@candela/contract';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { LayoutDashboard } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Scope } from '../../api/telemetry.ts';
import { Button } from '../../ui/button.tsx';

const ChartList = lazy(() => import('./chart-list.tsx'));

/** What a list is charted from. */
export interface Charted {
  /** What is counted at first: `traces`. */
  readonly title: string;
  /** How its rows are counted at first, or what is asked instead. */
  readonly start: readonly ['spans' | 'logs', 'count' | 'traces' | 'sessions' | 'users'] | Panel['query'];
  /** With the search of the list: it is part of the chart. */
  readonly scope: Scope;
  /** The page of saved views, which then keep the chart; its address has the chart that is open. */
  readonly page?: string;
}

/** Makes a chart of a list: measured, grouped, split, over time; and leads to a dashboard with it. */
export function ChartListButton(props: Charted) {
  const [open, setOpen] = useState(false);
  const { page } = props;
  const shown = useRouterState({
    select: ({ location: { search } }) =>
      page !== undefined && 'panel' in search ? search.panel : undefined,
  });
  const navigate = useNavigate();
  const show = (panel: string | undefined) =>
    void navigate({
      to: '.',
      search: (before: object) => ({ ...before, panel }),
      replace: true,
    } as Parameters<typeof navigate>[0]);
  return (
    <>
      <Button className="h-8" onClick={() => setOpen(true)}>
        <LayoutDashboard size={14} className="text-muted" aria-hidden />
        Chart this
      </Button>
      {(open || shown !== undefined) && (
        <Suspense>
          <ChartList
            {...props}
            shown={typeof shown === 'string' ? shown : undefined}
            onShown={page === undefined ? undefined : show}
            onClose={() => {
              setOpen(false);
              if (shown !== undefined) show(undefined);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
