import { addressOf } from '../../api/client.ts';
import { questionBody } from '../../api/metrics.ts';
import { shifted } from '../../charts/prepare/aggregate-series.ts';
import { TimeChart } from '../../charts/visualise/time-chart.tsx';
import type { TimeWindow } from '../../lib/time-range.ts';
import { ChartCard } from '../explore/chart-card.tsx';
import { unitWords } from './metric-words.ts';
import { type Ratio, type RatioLines, ratioName } from './ratio.ts';
import type { Answered } from './use-answers.ts';

/** One query divided by another, as a chart of its own. */
export function RatioChart(props: {
  ratio: Ratio;
  /** The queries above and below. */
  parts: readonly Answered[];
  /** Undefined: there is none yet, or their labels differ. */
  lines: RatioLines | undefined;
  unit: string;
  colours: ReadonlyMap<string, string> | undefined;
  window: TimeWindow;
  environment: string | undefined;
  previousBy: number;
  previous: RatioLines | undefined;
  onZoom: (window: TimeWindow) => void;
}) {
  const { ratio, parts, lines, unit } = props;
  const title = ratioName(ratio);
  const [top, bottom] = title.split(' ÷ ');
  const series = lines?.lines.map(({ line }) => line) ?? [];
  const previous = shifted(props.previous?.lines.map(({ line }) => line) ?? [], props.previousBy);
  const alone =
    lines === undefined || lines.alone === 0
      ? ''
      : `${lines.alone} ${lines.alone === 1 ? 'line' : 'lines'} of ${top} without a counterpart in ${bottom}`;
  return (
    <ChartCard
      title={title}
      note={[unitWords(unit), alone].filter((words) => words !== '').join(' · ')}
      state={parts.map(({ state }) => state)}
      isEmpty={series.length === 0}
      empty={
        lines === undefined && parts.every(({ answer }) => answer !== undefined)
          ? `${top} and ${bottom} have different labels: group both by the same, or ${bottom} by nothing.`
          : 'Nothing to divide in this time range.'
      }
      height={280}
      query={parts.map(({ letter, query, scope, question }) => ({
        path: addressOf('queryMetric'),
        body: questionBody(scope, question),
        environment: props.environment,
        label: `${letter.toUpperCase()}: ${query.metric}`,
      }))}
    >
      <TimeChart
        label={title}
        height={280}
        kind="line"
        unit={unit}
        series={series}
        total={parts[0]?.answer?.lines ?? series.length}
        {...(props.colours === undefined ? {} : { colours: props.colours })}
        window={props.window}
        stepSeconds={Math.max(1, ...parts.map(({ answer }) => answer?.stepSeconds ?? 0))}
        {...(previous.length === 0 ? {} : { previous })}
        onZoom={props.onZoom}
      />
    </ChartCard>
  );
}
