import { lazy, Suspense, useMemo } from 'react';
import { anyTraceQuery, type Scope } from '../../api/telemetry.ts';
import { Failure } from '../../ui/states.tsx';
import { useHasData } from '../explore/use-has-data.ts';
import { useShell } from '../shell/shell-search.ts';
import { ErrorsByModel } from './errors-by-model.tsx';
import { ByModel } from './by-model.tsx';
import { ChangeTiles } from './change-tiles.tsx';
import { IngestStrip } from './ingest-strip.tsx';
import { NewestExceptions } from './newest-exceptions.tsx';
import { BusiestAgents, ErrorsByService, SlowestOperations } from './ranked-cards.tsx';

const FirstTrace = lazy(() => import('../traces/first-trace.tsx'));

/** What changed since the period before, on one screen. */
export function HomePage() {
  const { window, environment } = useShell();
  const scope: Scope = useMemo(() => ({ window, q: '', environment }), [window, environment]);
  const ever = useHasData(anyTraceQuery(environment));
  if (ever.data === false) {
    return (
      <Suspense>
        <FirstTrace environment={environment} page="Home" />
      </Suspense>
    );
  }
  if (ever.isLoadingError) return <Failure error={ever.error} onRetry={() => void ever.refetch()} />;
  return (
    <div className="flex h-full flex-col gap-2 overflow-auto p-2">
      <title>Home · Candela</title>
      <h1 className="sr-only">Home</h1>
      <ChangeTiles scope={scope} />
      <ByModel scope={scope} />
      <div className="grid grow content-start gap-2 xl:grid-cols-[minmax(0,1.15fr)_minmax(0,1.1fr)_minmax(0,0.8fr)] xl:content-stretch">
        <NewestExceptions scope={scope} />
        <SlowestOperations scope={scope} />
        <div className="flex min-w-0 flex-col gap-2">
          <ErrorsByService scope={scope} />
          <ErrorsByModel scope={scope} />
          <BusiestAgents scope={scope} />
        </div>
      </div>
      <IngestStrip />
    </div>
  );
}
