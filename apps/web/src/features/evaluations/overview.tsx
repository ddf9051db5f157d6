import type { ScoreAnalytics, ScoreView } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { analyticsQuery, scoresQuery } from '../../api/evaluations.ts';
import { DASH, formatCost, formatCount } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { ChartListButton } from '../boards/chart-list-button.tsx';
import { useShell } from '../shell/shell-search.ts';
import type { EvaluationsSearch } from './evaluations-search.ts';

const percent = (part: number) => `${(part * 100).toFixed(1)} %`;
/** A score in three decimals, without the zeros behind. */
export const scoreText = (value: number | null) => (value === null ? DASH : String(Number(value.toFixed(3))));

/** Pass or fail as a badge. */
export function Verdict({ verdict }: { verdict: 'pass' | 'fail' | null }) {
  if (verdict === null) return DASH;
  return <Badge tone={verdict === 'pass' ? 'ok' : 'danger'}>{verdict}</Badge>;
}

/** Passed of all verdicts with the interval; without one where there are too few to say anything. */
export function PassRate(props: {
  passRate: number | null;
  interval: { low: number; high: number } | null;
  enough: boolean;
  count: number;
}) {
  const { passRate, interval } = props;
  if (passRate === null || interval === null) return DASH;
  if (!props.enough) return <span className="text-muted">{props.count} verdicts: too few to say</span>;
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap">
      <span className="relative inline-block h-2 w-24 rounded bg-line" aria-hidden>
        <span
          className="absolute inset-y-0 rounded bg-accent-fill/40"
          style={{ left: percent(interval.low), width: percent(interval.high - interval.low) }}
        />
        <span className="absolute -inset-y-0.5 w-0.5 bg-text" style={{ left: percent(passRate) }} />
      </span>
      {percent(passRate)}
      <span className="text-xs text-muted">
        {percent(interval.low)} to {percent(interval.high)}
      </span>
    </span>
  );
}

/** Pass rates over time, a bar each; its height is the rate, its strength how many verdicts. */
function RateBars({ series }: { series: ScoreAnalytics['series'] }) {
  const most = Math.max(1, ...series.map(({ scores }) => scores));
  return (
    <figure aria-label="Pass rate over time" className="flex h-24 items-end gap-px border-b border-line">
      {series.map(({ time, passRate, scores }) => (
        <span
          key={time}
          title={`${time}: ${passRate === null ? 'no verdicts' : percent(passRate)} of ${scores}`}
          className="min-w-1 grow bg-accent-fill"
          style={{ height: percent(passRate ?? 0.02), opacity: 0.3 + 0.7 * (scores / most) }}
        />
      ))}
    </figure>
  );
}

/** Scores by evaluator, over time, and one by one with their reasons. */
export function Overview(props: { search: EvaluationsSearch; onChange: (next: EvaluationsSearch) => void }) {
  const { environment, window } = useShell();
  const { name } = props.search;
  const analytics = useQuery(analyticsQuery(environment, { by: 'name' }));
  const chosen = useQuery({
    ...analyticsQuery(environment, { by: 'model', ...(name === undefined ? {} : { name }) }),
  });
  const scores = useQuery(scoresQuery(environment, name === undefined ? {} : { name }));
  if (analytics.isPending) return <SkeletonRows rows={4} label="Loading the scores" />;
  if (analytics.isLoadingError)
    return <Failure error={analytics.error} onRetry={() => void analytics.refetch()} />;
  const groups = analytics.data?.groups ?? [];
  if (groups.length === 0) {
    return (
      <Notice title="No scores in the last 7 days">
        Turn an evaluator on, send feedback with POST /api/evaluation/scores, or emit gen_ai.evaluation.result
        events: all of them appear here.
      </Notice>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      <section aria-label="By evaluator">
        <Table
          label="Scores by evaluator, last 7 days"
          rows={groups}
          keyOf={({ key }) => key}
          empty=""
          columns={[
            {
              label: 'Name',
              cell: ({ key }) => (
                <button
                  type="button"
                  className="hover:underline"
                  aria-pressed={key === name}
                  onClick={() => props.onChange(key === name ? {} : { name: key })}
                >
                  {key}
                </button>
              ),
            },
            { label: 'Scores', align: 'end', cell: (row) => formatCount(row.scores) },
            {
              label: 'Pass rate',
              cell: (row) => <PassRate {...row} count={row.passed + row.failed} />,
            },
            { label: 'Mean', align: 'end', cell: (row) => scoreText(row.mean) },
            { label: 'Failed to judge', align: 'end', cell: (row) => formatCount(row.errors) },
            { label: 'Cost', align: 'end', cell: (row) => formatCost(row.costUsd) },
          ]}
        />
      </section>
      {chosen.data && (
        <section aria-label="Over time and by model" className="grid gap-4 md:grid-cols-2">
          <div>
            <h2 className="mb-1 text-sm font-medium">Pass rate over time{name && `: ${name}`}</h2>
            <RateBars series={chosen.data.series} />
          </div>
          <Table
            label="Scores by model"
            rows={chosen.data.groups}
            keyOf={({ key }) => key}
            empty=""
            columns={[
              { label: 'Model', cell: ({ key }) => key || 'not known' },
              { label: 'Scores', align: 'end', cell: (row) => formatCount(row.scores) },
              { label: 'Pass rate', cell: (row) => <PassRate {...row} count={row.passed + row.failed} /> },
            ]}
          />
        </section>
      )}
      <section aria-label="Scores">
        <div className="flex items-center gap-2">
          <h2 className="text-sm font-medium">Latest scores{name && `: ${name}`}</h2>
          {name !== undefined && <Button onClick={() => props.onChange({})}>Show all</Button>}
          <span className="ml-auto">
            <ChartListButton
              title="scores"
              start={{
                kind: 'scores',
                body: {
                  ...(name === undefined ? {} : { name }),
                  measures: ['pass_rate'],
                  groupBy: name === undefined ? ['name'] : [],
                  overTime: true,
                  limit: 8,
                },
              }}
              scope={{ window, q: '', environment }}
            />
          </span>
        </div>
        <ScoreTable rows={scores.data ?? []} />
      </section>
    </div>
  );
}

function ScoreTable({ rows }: { rows: readonly ScoreView[] }) {
  return (
    <Table
      label="Latest scores"
      rows={rows}
      keyOf={({ id, environment }) => `${environment} ${id}`}
      empty="None in the last 30 days."
      columns={[
        { label: 'Time', cell: ({ time }) => <When time={time} /> },
        { label: 'Name', cell: (row) => row.name },
        { label: 'Source', cell: (row) => <Badge>{row.source}</Badge> },
        { label: 'Score', align: 'end', cell: (row) => scoreText(row.value) },
        { label: 'Label', cell: (row) => row.label ?? DASH },
        {
          label: 'Verdict',
          cell: (row) =>
            row.errorType === null ? (
              <Verdict verdict={row.verdict} />
            ) : (
              <Badge tone="warn">{row.errorType}</Badge>
            ),
        },
        {
          label: 'Reason',
          cell: ({ explanation }) => (
            <span className="line-clamp-2 max-w-xl whitespace-normal wrap-anywhere">
              {explanation ?? DASH}
            </span>
          ),
        },
        {
          label: 'Span',
          cell: ({ traceId, spanId }) =>
            traceId === null ? (
              DASH
            ) : (
              <Link
                to="/traces/$traceId"
                params={{ traceId }}
                search={spanId === null ? {} : { span: spanId }}
                className="font-mono text-accent hover:underline"
              >
                {traceId.slice(0, 8)}
              </Link>
            ),
        },
      ]}
    />
  );
}
