import type { Prompt } from '@candela/contract';
import { printFilter } from '@candela/contract/filter';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { promptUsagePath, promptUsageQuery } from '../../api/prompts.ts';
import { type Scope, spansQuery } from '../../api/telemetry.ts';
import { TimeChart } from '../../charts/visualise/time-chart.tsx';
import { formatCount } from '../../lib/format.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Table } from '../../ui/table.tsx';
import { costCell, modelsCell, spanDurationCell, TimeCell, tokensCell } from '../explore/cells.tsx';
import { ChartCard } from '../explore/chart-card.tsx';
import { Loaded, Section } from '../settings/page.tsx';
import { useShell } from '../shell/shell-search.ts';
import { usageSeries } from './usage-series.ts';

const DAY_SECONDS = 86_400;
const DAY_MS = 86_400_000;
/** Spans that are shown here; all of them are in Traces. */
const MOST_SPANS = 20;

/** Who fetches the prompt, and the model calls that used it. */
export default function UsageTab({ prompt }: { prompt: Prompt }) {
  const { environment, window, setRange } = useShell();
  const [by, setBy] = useState<'version' | 'source'>('version');
  // Fetches are counted by day: a shorter range would show nothing but its own edges.
  const days = useMemo(() => {
    const toMs = Math.ceil(window.toMs / DAY_MS) * DAY_MS;
    const fromMs = Math.min(Math.floor(window.fromMs / DAY_MS) * DAY_MS, toMs - 14 * DAY_MS);
    return { fromMs, toMs };
  }, [window]);
  const usage = useQuery({
    ...promptUsageQuery(environment, prompt.id, days, window.toMs),
    placeholderData: keepPreviousData,
  });
  const series = useMemo(() => usageSeries(usage.data?.rows ?? [], by), [usage.data, by]);
  const scope: Scope = useMemo(
    () => ({ window, environment, q: printFilter({ field: 'prompt_name', op: '=', value: prompt.name }) }),
    [window, environment, prompt.name],
  );
  const spans = useInfiniteQuery(spansQuery(scope, '-start', ['prompt_version'], true));
  return (
    <div className="flex flex-col gap-3 overflow-auto p-3">
      <ChartCard
        title="Fetches by day"
        note={
          usage.data && `${formatCount(usage.data.total)} in ${(days.toMs - days.fromMs) / DAY_MS} days, UTC`
        }
        state={usage}
        isEmpty={series.length === 0}
        empty="No application fetched it in this time."
        query={{ path: promptUsagePath(prompt.id, days), environment }}
        actions={
          <Segments
            label="Split by"
            size="small"
            value={by}
            choices={['version', 'source']}
            onChoose={setBy}
          />
        }
      >
        <TimeChart
          label="Fetches"
          kind="bars"
          missing="zero"
          legend
          window={days}
          stepSeconds={DAY_SECONDS}
          height={160}
          series={series}
          onZoom={(chosen) =>
            setRange({
              from: new Date(chosen.fromMs).toISOString(),
              to: new Date(chosen.toMs).toISOString(),
            })
          }
        />
      </ChartCard>
      <Section
        title="Model calls that used it"
        about={
          <>
            Spans of the time range that name it by <code className="font-mono">platform.prompt.name</code>,
            as the client libraries hand it out, or as another SDK spells it.
          </>
        }
        action={
          <Link to="/traces" search={{ q: scope.q, view: 'spans' }} className="text-accent hover:underline">
            All in Traces
          </Link>
        }
      >
        <Loaded query={spans} label="the spans">
          {(data) => (
            <Table
              label="Spans"
              rows={(data.pages[0]?.data ?? []).slice(0, MOST_SPANS)}
              keyOf={(row) => row.spanId}
              empty="None in this time range."
              columns={[
                { label: 'Time', cell: (row) => <TimeCell iso={row.startTime} /> },
                {
                  label: 'Span',
                  cell: (row) => (
                    <Link
                      to="/traces/$traceId"
                      params={{ traceId: row.traceId }}
                      search={{ span: row.spanId }}
                      className="flex max-w-72 text-accent hover:underline"
                    >
                      <MiddleTruncation name={row.name} />
                    </Link>
                  ),
                },
                {
                  label: 'Version',
                  cell: (row) => <code className="font-mono">{row.values?.get('prompt_version') ?? ''}</code>,
                },
                { label: 'Model', cell: (row) => modelsCell(row.model === null ? [] : [row.model]) },
                { label: 'Duration', align: 'end', cell: (row) => spanDurationCell(row) },
                { label: 'Tokens', align: 'end', cell: (row) => tokensCell(row) },
                { label: 'Cost', align: 'end', cell: (row) => costCell(row.costUsd) },
              ]}
            />
          )}
        </Loaded>
      </Section>
    </div>
  );
}
