import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Radio } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { anyTraceQuery } from '../../api/telemetry.ts';
import { curlOf } from '../../lib/curl.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { isRelative } from '../../lib/time-range.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Failure } from '../../ui/states.tsx';
import { ColumnChooser } from '../explore/column-chooser.tsx';
import { chosenColumns } from '../explore/columns.ts';
import { CountHistogram } from '../explore/count-histogram.tsx';
import { SPANS_EXPLORE } from '../explore/explore-config.ts';
import { ExplorerLayout } from '../explore/explorer-layout.tsx';
import { useExplorer } from '../explore/explorer.ts';
import { refreshNow, useShell } from '../shell/shell-search.ts';
import { SPAN_COLUMNS, TRACE_COLUMNS } from './columns.tsx';
import { FirstTrace } from './first-trace.tsx';
import { SpanRows, TraceRows } from './result-rows.tsx';
import { rememberTraces, type TracesChange } from './traces-search.ts';

const route = getRouteApi('/traces/');
const LIVE_MS = 4_000;

/** Search over traces and spans: histogram, facets, rows. */
export function TracesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { environment, range } = useShell();
  const change = (next: TracesChange, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace });
  const explorer = useExplorer(SPANS_EXPLORE, search, change);
  const { scope, q } = explorer;
  useEffect(() => rememberTraces(search), [search]);
  const scrolled = useRef(0);
  const canLive = isRelative(range) && search.sort === undefined;
  const live = search.live === true && canLive;
  useEffect(() => {
    if (!live) return undefined;
    // Reading further down holds the rows still; back at the top they move again.
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && scrolled.current < 40) refreshNow();
    }, LIVE_MS);
    return () => clearInterval(timer);
  }, [live]);
  const toggleLive = () => change({ live: live ? undefined : true });
  useHotkey('l', toggleLive, { label: 'Live on or off', group: 'Traces', enabled: canLive });
  const ever = useQuery(anyTraceQuery(environment));
  const waiting = useRef(false);
  useEffect(() => {
    // The window that was empty ended before the first trace arrived.
    if (ever.data === true && waiting.current) refreshNow();
    waiting.current = ever.data === false;
  }, [ever.data]);
  const client = useQueryClient();
  if (ever.data === false) return <FirstTrace environment={environment} />;
  if (ever.isError) return <Failure error={ever.error} onRetry={() => void client.resetQueries()} />;

  const isSpans = search.view === 'spans';
  const columns = isSpans ? SPAN_COLUMNS : TRACE_COLUMNS;
  const Rows = isSpans ? SpanRows : TraceRows;
  return (
    <ExplorerLayout
      title="Traces"
      config={SPANS_EXPLORE}
      explorer={explorer}
      chart={<CountHistogram config={SPANS_EXPLORE} scope={scope} onZoom={explorer.zoom} />}
      actions={
        <>
          <div
            role="group"
            aria-label="Rows"
            className="flex h-8 items-center rounded-md border border-line bg-surface p-0.5"
          >
            {(['traces', 'spans'] as const).map((view) => (
              <button
                key={view}
                type="button"
                aria-pressed={isSpans === (view === 'spans')}
                onClick={() =>
                  change({
                    view: view === 'spans' ? 'spans' : undefined,
                    sort: undefined,
                    cols: undefined,
                    row: undefined,
                  })
                }
                className="h-full rounded px-2 text-muted capitalize aria-pressed:bg-selected aria-pressed:text-text"
              >
                {view}
              </button>
            ))}
          </div>
          <Button
            className="h-8"
            aria-pressed={live}
            disabled={!canLive}
            onClick={toggleLive}
            title={
              canLive
                ? 'Fetch new rows every few seconds (l)'
                : 'Live needs a relative time range and newest first'
            }
          >
            <Radio size={14} aria-hidden className={live ? 'text-accent' : 'text-muted'} />
            Live
          </Button>
          <CopyButton
            label="Copy this search as cURL"
            className="h-8"
            text={() =>
              curlOf(location.origin, `/api/telemetry/${isSpans ? 'spans' : 'traces'}/search`, {
                environment,
                body: {
                  ...range,
                  ...(q === '' ? {} : { q }),
                  ...(search.sort === undefined ? {} : { sort: search.sort }),
                },
              })
            }
          />
          <ColumnChooser
            all={columns}
            chosen={
              isSpans ? chosenColumns(SPAN_COLUMNS, search.cols) : chosenColumns(TRACE_COLUMNS, search.cols)
            }
            onChange={(cols) => change({ cols })}
          />
        </>
      }
    >
      <Rows
        scope={scope}
        search={search}
        onChange={change}
        onRow={explorer.setRow}
        onScrolled={(top) => (scrolled.current = top)}
      />
    </ExplorerLayout>
  );
}
