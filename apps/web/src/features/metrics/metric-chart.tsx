import { addressOf } from '../../api/client.ts';
import { type MetricAnswer, questionBody } from '../../api/metrics.ts';
import { shifted } from '../../charts/prepare/aggregate-series.ts';
import { TimeChart } from '../../charts/visualise/time-chart.tsx';
import type { TimeWindow } from '../../lib/time-range.ts';
import { formatValue } from '../../lib/format-value.ts';
import { ChartCard } from '../explore/chart-card.tsx';
import { linesOf, thinned } from './explore-series.ts';
import { emptyWords, unitWords } from './metric-words.ts';
import type { Answered } from './use-answers.ts';

/** Aggregations that one measurement cannot be compared with. */
const OF_ALL: ReadonlySet<string | null> = new Set(['count', 'rate', 'increase', 'sum']);

/** Answers of one unit as one chart. */
export function MetricChart(props: {
  answers: readonly Answered[];
  several: boolean;
  /** Colours that the charts of the page share; absent: too many lines for that. */
  colours: ReadonlyMap<string, string> | undefined;
  window: TimeWindow;
  environment: string | undefined;
  /** Milliseconds from the beginning of the period before to that of this one. */
  previousBy: number;
  previous: readonly { readonly letter: string; readonly answer: MetricAnswer | undefined }[];
  onZoom: (window: TimeWindow) => void;
  onTrace: (traceId: string, spanId: string) => void;
}) {
  const { answers, several, window } = props;
  const given = answers.map(({ answer }) => answer);
  // Not memoised: how many answers there are changes, and this renders when one of them does.
  const series = answers.flatMap(({ letter, answer }) =>
    answer === undefined ? [] : linesOf(answer, several ? letter : undefined),
  );
  const previous = props.previous.flatMap(({ letter, answer }) =>
    answer === undefined ? [] : shifted(linesOf(answer, several ? letter : undefined), props.previousBy),
  );
  const exemplars = thinned(
    given.flatMap((answer) =>
      answer === undefined || OF_ALL.has(answer.aggregation)
        ? []
        : answer.exemplars.map((one) => ({
            timeMs: one.time,
            value: one.value,
            id: `${one.traceId} ${one.spanId} ${one.time}`,
            label: `Trace ${one.traceId.slice(0, 8)}, ${formatValue(one.value, answer.pointUnit)}`,
          })),
    ),
    window,
  );
  const [first] = answers;
  const unit = first?.answer?.valueUnit ?? '';
  const title = answers
    .map(({ letter, query, answer }) =>
      `${several ? `${letter.toUpperCase()}: ` : ''}${answer?.aggregation ?? ''} ${query.metric}`.trim(),
    )
    .join(' · ');
  const counts = answers.every(
    ({ answer }) => answer?.aggregation === 'increase' || answer?.aggregation === 'count',
  );
  const total = given.reduce((sum, answer) => sum + (answer?.lines ?? 0), 0);
  return (
    <ChartCard
      title={title}
      note={unitWords(unit)}
      state={answers.map(({ state }) => state)}
      isEmpty={series.every(({ points }) => points.every(({ value }) => value === null))}
      empty={emptyWords(given.filter((answer) => answer !== undefined))}
      height={280}
      query={answers.map(({ letter, query, scope, question }) => ({
        path: addressOf('queryMetric'),
        body: questionBody(scope, question),
        environment: props.environment,
        ...(several ? { label: `${letter.toUpperCase()}: ${query.metric}` } : {}),
      }))}
    >
      <TimeChart
        label={title}
        height={280}
        kind={counts ? 'bars' : 'line'}
        unit={unit}
        series={series}
        total={total}
        {...(props.colours === undefined ? {} : { colours: props.colours })}
        window={window}
        stepSeconds={Math.max(1, ...given.map((answer) => answer?.stepSeconds ?? 0))}
        {...(previous.length === 0 ? {} : { previous })}
        exemplars={exemplars}
        onZoom={props.onZoom}
        onExemplar={({ id }) => {
          const [traceId = '', spanId = ''] = id.split(' ');
          props.onTrace(traceId, spanId);
        }}
      />
    </ChartCard>
  );
}
