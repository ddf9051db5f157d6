import type { ScoreAnalytics, ScoreView } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { agreementQuery, analyticsQuery, scoresQuery } from '../../api/evaluations.ts';
import { SCORE_DIMENSIONS, type ScoreDimension } from '../../lib/score-dimensions.ts';
import { DASH, formatCost, formatCount } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { ChartListButton } from '../boards/chart-list-button.tsx';
import { SavedViewsMenu } from '../explore/saved-views.tsx';
import { useShell } from '../shell/shell-search.ts';
import { type EvaluationsSearch, SCORE_WINDOWS, type ScoreWindow } from './evaluations-search.ts';
import { scoreText, Verdict } from './score-list.tsx';

const percent = (part: number) => `${(part * 100).toFixed(1)} %`;
/** The same as a length in styles, which takes no blank. */
const length = (part: number) => `${part * 100}%`;

const DIMENSION_NAMES: Record<ScoreDimension, string> = {
  name: 'Name',
  model: 'Model',
  prompt_version: 'Prompt version',
  agent: 'Agent',
  service: 'Service',
  version: 'Version of the evaluator',
  source: 'Source',
  label: 'Label',
};
const WINDOW_MS: Record<ScoreWindow, number> = {
  '-24h': 86_400_000,
  '-7d': 7 * 86_400_000,
  '-30d': 30 * 86_400_000,
};
const WINDOW_NAMES: Record<ScoreWindow, string> = { '-24h': '24 hours', '-7d': '7 days', '-30d': '30 days' };

/** Passed of all verdicts with the interval; without one where there are too few to say anything. */
export function PassRate(props: {
  passRate: number | null;
  interval: { low: number; high: number } | null;
  enough: boolean;
  count: number;
}) {
  const { passRate, interval } = props;
  if (passRate === null || interval === null) return DASH;
  if (!props.enough) {
    const verdicts = props.count === 1 ? '1 verdict' : `${props.count} verdicts`;
    return <span className="text-muted">{verdicts}: too few to say</span>;
  }
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap">
      <span className="relative inline-block h-2 w-24 rounded bg-line max-sm:hidden" aria-hidden>
        <span
          className="absolute inset-y-0 rounded bg-accent-fill/50"
          style={{ left: length(interval.low), width: length(interval.high - interval.low) }}
        />
        <span
          className="absolute -inset-y-0.5 w-0.5 -translate-x-1/2 bg-text"
          style={{ left: length(passRate) }}
        />
      </span>
      {percent(passRate)}
      <span className="text-xs text-muted">
        {percent(interval.low)} to {percent(interval.high)}
      </span>
    </span>
  );
}

/** Pass rates over time, a bar each where its time lies; its height is the rate, its strength how many verdicts. */
function RateBars(props: { series: ScoreAnalytics['series']; stepMs: number; window: ScoreWindow }) {
  const { series, stepMs } = props;
  const judged = series.filter(({ passRate }) => passRate !== null);
  if (judged.length === 0) return <p className="p-2 text-sm text-muted">No verdicts in this time.</p>;
  // The newest bar ends where the axis does.
  const toMs = Math.max(Date.now(), ...judged.map(({ time }) => Date.parse(time) + stepMs));
  const span = WINDOW_MS[props.window];
  const fromMs = toMs - span;
  const most = Math.max(1, ...judged.map(({ passed, failed }) => passed + failed));
  return (
    <figure aria-label="Pass rate over time">
      <div className="relative h-24 border-b border-line">
        {judged.map(({ time, passRate, passed, failed }) => (
          <span
            key={time}
            title={`${time}: ${percent(passRate ?? 0)} of ${passed + failed} verdicts`}
            className="absolute bottom-0 rounded-t-xs bg-accent-fill"
            style={{
              left: length(Math.max(0, (Date.parse(time) - fromMs) / span)),
              width: `max(3px, calc(${length(stepMs / span)} - 1px))`,
              height: `max(2px, ${length(passRate ?? 0)})`,
              opacity: 0.4 + 0.6 * ((passed + failed) / most),
            }}
          />
        ))}
      </div>
      <figcaption className="flex justify-between text-xs text-muted">
        <When time={new Date(fromMs).toISOString()} />
        <span className="max-sm:hidden">height: passed of all; strength: number of verdicts</span>
        <When time={new Date(toMs).toISOString()} />
      </figcaption>
    </figure>
  );
}

/** How far an evaluator and people agree; only calibrated ones may drive alerts and gates. */
function Calibration({ name }: { name: string }) {
  const { environment } = useShell();
  const { data } = useQuery(agreementQuery(environment, name));
  if (data === undefined || data.pairs === 0) {
    return (
      <p className="text-sm text-muted">
        Not calibrated: no span has a verdict of people too. Label 50 of them in an annotation queue whose
        field is called {name}.
      </p>
    );
  }
  return (
    <p className="flex flex-wrap items-center gap-2 text-sm">
      <Badge tone={data.calibrated ? 'ok' : 'warn'}>
        {data.calibrated ? 'calibrated' : 'not calibrated'}
      </Badge>
      <span>
        Agreement with people on {formatCount(data.pairs)} {data.pairs === 1 ? 'span' : 'spans'}: kappa{' '}
        {data.kappa === null ? 'undefined, all verdicts are alike' : data.kappa.toFixed(2)}
      </span>
      {!data.calibrated && (
        <span className="text-muted">Alerts and gates want 50 spans and a kappa of 0.6.</span>
      )}
    </p>
  );
}

/** Scores by evaluator, over time, and one by one with their reasons. */
export function Overview(props: { search: EvaluationsSearch; onChange: (next: EvaluationsSearch) => void }) {
  const { environment, window: shown } = useShell();
  const { search, onChange } = props;
  const { name } = search;
  const from = search.since ?? '-7d';
  const by = search.by ?? 'model';
  const only = name === undefined ? {} : { name };
  const analytics = useQuery(analyticsQuery(environment, { by: 'name', from }));
  const chosen = useQuery(analyticsQuery(environment, { by, from, ...only }));
  const failing = useQuery(analyticsQuery(environment, { by: 'label', from, verdict: 'fail', ...only }));
  const failures = useQuery(scoresQuery(environment, { of: 'telemetry', ...only, verdict: 'fail' }));
  const scores = useQuery(
    scoresQuery(environment, { of: 'telemetry', ...only, ...(search.fails ? { verdict: 'fail' } : {}) }),
  );
  if (analytics.isPending) return <SkeletonRows rows={4} label="Loading the scores" />;
  if (analytics.isLoadingError)
    return <Failure error={analytics.error} onRetry={() => void analytics.refetch()} />;
  const groups = analytics.data?.groups ?? [];
  const window = (
    <div className="flex">
      <Segments
        size="small"
        label="Time"
        value={from}
        choices={SCORE_WINDOWS}
        nameOf={(value) => WINDOW_NAMES[value]}
        onChoose={(since) => onChange({ ...search, since })}
      />
    </div>
  );
  if (groups.length === 0) {
    return (
      <div className="flex flex-col gap-3">
        {window}
        <Notice title={`No scores in the last ${WINDOW_NAMES[from]}`}>
          Turn an evaluator on, send feedback with POST /api/evaluation/scores, or emit
          gen_ai.evaluation.result events: all of them appear here.
        </Notice>
      </div>
    );
  }
  const reasons = (failing.data?.groups ?? []).filter(({ key }) => key !== '' && key !== 'none');
  return (
    <div className="flex flex-col gap-5">
      <section aria-label="By evaluator" className="flex flex-col gap-2">
        {window}
        <Table
          label="Scores by evaluator"
          rows={groups}
          keyOf={({ key }) => key}
          empty=""
          columns={[
            {
              label: 'Name',
              cell: ({ key }) => (
                <button
                  type="button"
                  className="text-accent hover:underline aria-pressed:font-semibold"
                  aria-pressed={key === name}
                  onClick={() => {
                    const { name: _, ...rest } = search;
                    onChange(key === name ? rest : { ...rest, name: key });
                  }}
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
            { label: 'Not judged', align: 'end', cell: (row) => formatCount(row.errors) },
            { label: 'Cost', align: 'end', cell: (row) => formatCost(row.costUsd) },
          ]}
        />
      </section>
      {name !== undefined && <Calibration name={name} />}
      {chosen.data && (
        <section aria-label="Over time and by group" className="grid gap-5 lg:grid-cols-2">
          <div className="flex min-w-0 flex-col gap-3">
            <h2 className="text-sm font-medium">Pass rate over time{name && `: ${name}`}</h2>
            <RateBars series={chosen.data.series} stepMs={chosen.data.stepMs} window={from} />
            {reasons.length > 0 && (
              <div>
                <h2 className="mb-1 text-sm font-medium">What fails most</h2>
                <Table
                  label="What fails most"
                  rows={reasons.slice(0, 10)}
                  keyOf={({ key }) => key}
                  empty=""
                  columns={[
                    { label: 'Label', cell: ({ key }) => key },
                    { label: 'Failed', align: 'end', cell: (row) => formatCount(row.failed) },
                    {
                      label: 'Newest example',
                      cell: ({ key }) => (
                        <Example score={failures.data?.find(({ label }) => label === key)} />
                      ),
                    },
                  ]}
                />
              </div>
            )}
          </div>
          <div className="flex min-w-0 flex-col gap-2">
            <SelectField
              label="By"
              className="w-56"
              value={by}
              onValue={(value) => {
                const dimension = SCORE_DIMENSIONS.find((one) => one === value);
                onChange({ ...search, ...(dimension === undefined ? {} : { by: dimension }) });
              }}
              options={SCORE_DIMENSIONS.map((value) => ({ value, label: DIMENSION_NAMES[value] }))}
            />
            <Table
              label="Scores by group"
              rows={chosen.data.groups}
              keyOf={({ key }) => key}
              empty="No scores."
              columns={[
                { label: DIMENSION_NAMES[by], cell: ({ key }) => key || 'not known' },
                { label: 'Scores', align: 'end', cell: (row) => formatCount(row.scores) },
                { label: 'Pass rate', cell: (row) => <PassRate {...row} count={row.passed + row.failed} /> },
              ]}
            />
          </div>
        </section>
      )}
      <section aria-label="Scores">
        <div className="flex flex-wrap items-center gap-2">
          <h2 className="text-sm font-medium">Latest scores{name && `: ${name}`}</h2>
          <Button
            aria-pressed={search.fails === true}
            onClick={() => {
              const { fails, ...rest } = search;
              onChange(fails === true ? rest : { ...rest, fails: true });
            }}
          >
            Failed only
          </Button>
          {name !== undefined && (
            <Link
              to="/traces"
              search={{ view: 'spans', q: `score."${name.replaceAll(/["\\]/g, '\\$&')}":fail`, from }}
              className="text-sm text-accent hover:underline"
            >
              Failed spans in the search
            </Link>
          )}
          <span className="ml-auto flex gap-2">
            <SavedViewsMenu page="evaluations" signal="spans" />
            <ChartListButton
              title="scores"
              page="evaluations"
              start={{
                kind: 'scores',
                body: {
                  ...only,
                  measures: ['pass_rate'],
                  groupBy: name === undefined ? ['name'] : [],
                  overTime: true,
                  limit: 8,
                },
              }}
              scope={{ window: shown, q: '', environment }}
            />
          </span>
        </div>
        <ScoreTable rows={scores.data ?? []} />
      </section>
    </div>
  );
}

/** Why a span failed, and the way to it. */
function Example({ score }: { score: ScoreView | undefined }) {
  if (score === undefined || score.traceId === null) return DASH;
  return (
    <Link
      to="/traces/$traceId"
      params={{ traceId: score.traceId }}
      search={score.spanId === null ? {} : { span: score.spanId, tab: 'scores' }}
      className="line-clamp-2 min-w-40 whitespace-normal wrap-anywhere text-accent hover:underline"
    >
      {score.explanation ?? score.traceId.slice(0, 8)}
    </Link>
  );
}

function ScoreTable({ rows }: { rows: readonly ScoreView[] }) {
  return (
    <Table
      label="Latest scores"
      rows={rows}
      keyOf={({ id, environment }) => `${environment} ${id}`}
      empty="None."
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
            <span className="line-clamp-2 max-w-xl min-w-40 whitespace-normal wrap-anywhere">
              {explanation ?? DASH}
            </span>
          ),
        },
        {
          label: 'Trace',
          cell: ({ traceId, spanId }) =>
            traceId === null ? (
              DASH
            ) : (
              <Link
                to="/traces/$traceId"
                params={{ traceId }}
                search={spanId === null ? {} : { span: spanId, tab: 'scores' }}
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
