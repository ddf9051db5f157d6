import type { Trace } from '@candela/contract';
import { entityKey } from '@candela/kernel';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { exact, formatCost, formatCount, formatDuration, formatIso, formatTime } from '../../lib/format.ts';
import { shortModels } from '../../lib/models.ts';
import { zonePreference } from '../../lib/zone.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { BackLink } from '../../ui/page-head.tsx';
import { outcomeOf, StatusIcon } from '../../ui/status.tsx';
import { persistedTraces } from '../traces/traces-search.ts';
import type { TraceSpan } from './trace-spans.ts';

const AnalysisButton = lazy(() => import('../assistant/analysis-button.tsx'));

/** Name and totals of the trace. */
export function TraceHeader({ trace, root }: { trace: Trace; root: TraceSpan | undefined }) {
  const zone = zonePreference.use();
  const startMs = Date.parse(trace.startTime);
  const unfinished = root?.light.unfinished ?? false;
  const tokens = (trace.inputTokens ?? 0) + (trace.outputTokens ?? 0);
  return (
    <header className="shrink-0 border-b border-line px-3 py-2">
      <div className="flex items-center gap-2">
        <BackLink to="/traces" search={persistedTraces.last()} label="Back to Traces" />
        <StatusIcon
          status={outcomeOf({
            status: root?.light.status ?? 'unset',
            unfinished,
            errorCount: trace.errorCount,
          })}
        />
        <h1 className="flex min-w-0 text-lg font-semibold">
          <MiddleTruncation name={trace.rootName || 'Trace'} />
        </h1>
        <span className="ml-auto flex shrink-0 items-center gap-1 font-mono text-sm text-muted">
          <span className="max-xl:hidden">{trace.traceId}</span>
          <CopyButton label="Copy trace id" text={() => trace.traceId} />
          {root !== undefined && (
            <Suspense>
              <AnalysisButton rootSpanId={root.spanId} />
            </Suspense>
          )}
        </span>
      </div>
      <Facts className="mt-1 pl-8 max-sm:pl-0" oneLine>
        <Fact label="Start" title={formatIso(startMs)}>
          {formatTime(startMs, zone)}
        </Fact>
        <Fact
          label="Duration"
          title={
            unfinished
              ? `Its root was sent while it ran; the last end known came after ${exact(trace.durationMs, ' ms')}`
              : exact(trace.durationMs, ' ms')
          }
        >
          {unfinished ? 'no end yet' : formatDuration(trace.durationMs)}
        </Fact>
        <Fact label="Spans" title={exact(trace.spanCount)}>
          {formatCount(trace.spanCount)}
          {trace.errorCount > 0 && (
            <span className="text-danger"> · {formatCount(trace.errorCount)} failed</span>
          )}
        </Fact>
        {(trace.inputTokens !== null || trace.outputTokens !== null) && (
          <Fact
            label="Tokens"
            title={`${exact(trace.inputTokens)} in, ${exact(trace.outputTokens)} out, ${exact(tokens)} together`}
          >
            {formatCount(trace.inputTokens)} in · {formatCount(trace.outputTokens)} out
          </Fact>
        )}
        <Fact label="Cost" title={exact(trace.costUsd, ' USD')}>
          {formatCost(trace.costUsd)}
        </Fact>
        {trace.models.length > 0 && (
          <Fact label="Models" title={trace.models.join(', ')}>
            {shortModels(trace.models).join(', ')}
          </Fact>
        )}
        <Fact label="Services" title={trace.services.join(', ')}>
          {trace.services.join(', ')}
        </Fact>
        <Fact label="Environment">{trace.environment}</Fact>
        {trace.userId !== null && (
          <Fact label="User">
            <Link
              to="/users/$user"
              params={{ user: entityKey(trace.userId) }}
              className="hover:underline"
              title={`Figures and sessions of ${trace.userId}`}
            >
              {trace.userId}
            </Link>
          </Fact>
        )}
        {trace.sessionId !== null && (
          <Fact label="Session">
            <Link
              to="/sessions/$session"
              params={{ session: entityKey(trace.sessionId) }}
              search={{ turn: trace.traceId }}
              className="hover:underline"
              title={`The whole conversation ${trace.sessionId}`}
            >
              {trace.sessionId}
            </Link>
          </Fact>
        )}
      </Facts>
    </header>
  );
}
