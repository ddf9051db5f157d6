import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { addressOf } from '../../api/client.ts';
import { type FigureBody, figureBody } from '../../api/home.ts';
import type { Scope } from '../../api/telemetry.ts';
import { groupOfKey } from '../../charts/prepare/aggregate-series.ts';
import { paletteOfAll } from '../../charts/prepare/palette.ts';
import { identityOf } from '../../charts/prepare/time-chart.ts';
import { TimeChart } from '../../charts/visualise/time-chart.tsx';
import { quoted } from '../../lib/query-text.ts';
import { bucketSeconds, type TimeWindow } from '../../lib/time-range.ts';
import { ChartCard } from '../explore/chart-card.tsx';
import { useShell } from '../shell/shell-search.ts';
import { modelsOf, seriesByModel } from './figures.ts';
import { useFigures } from './use-figures.ts';

/** What the charts draw; the rest is counted as "N of M". */
const MOST_MODELS = 8;

/** Cost and tokens over time, a series a model; the same model has the same colour in both. */
export function ByModel({ scope }: { scope: Scope }) {
  const costs = useModelAnswer(scope, 'cost');
  const counts = useModelAnswer(scope, 'tokens');
  const [byCost, byTokens] = [costs.query.data, counts.query.data];
  // What is called alike in both is the same model in both.
  const onPage = useMemo(() => [...modelsOf(byCost), ...modelsOf(byTokens)], [byCost, byTokens]);
  const cost = { ...costs, ...useMemo(() => seriesByModel(byCost, 'cost', onPage), [byCost, onPage]) };
  const tokens = {
    ...counts,
    ...useMemo(() => seriesByModel(byTokens, 'tokens', onPage), [byTokens, onPage]),
  };
  const colours = useMemo(
    () => paletteOfAll([cost.series.map(identityOf), tokens.series.map(identityOf)]),
    [cost.series, tokens.series],
  );
  return (
    <div className="grid shrink-0 gap-2 lg:grid-cols-2">
      <ModelChart scope={scope} title="Cost by model" measure="cost" of={cost} colours={colours} unit="USD" />
      <ModelChart
        scope={scope}
        title="Tokens by model"
        measure="tokens"
        of={tokens}
        colours={colours}
        unit=""
      />
    </div>
  );
}

type ModelMeasure = 'cost' | 'tokens';

function useModelAnswer(scope: Scope, measure: ModelMeasure) {
  const step = bucketSeconds(scope.window, 60);
  const body: FigureBody = useMemo(
    () => ({
      q: 'model:*',
      groupBy: ['model'],
      measures: measure === 'cost' ? ['cost'] : ['input_tokens', 'output_tokens'],
      bucketSeconds: step,
      limit: MOST_MODELS,
    }),
    [measure, step],
  );
  return { query: useFigures(scope, body), body, step };
}

function ModelChart(props: {
  scope: Scope;
  title: string;
  measure: ModelMeasure;
  unit: string;
  of: ReturnType<typeof useModelAnswer> & ReturnType<typeof seriesByModel>;
  colours: ReadonlyMap<string, string>;
}) {
  const { scope, measure } = props;
  const { query, body, step, series, total } = props.of;
  const { environment, setRange } = useShell();
  const navigate = useNavigate();
  const zoom = (window: TimeWindow) =>
    setRange({ from: new Date(window.fromMs).toISOString(), to: new Date(window.toMs).toISOString() });
  const drill = (window: TimeWindow, key: string | undefined) => {
    const model = key === undefined ? undefined : groupOfKey(key)[0];
    void navigate({
      to: '/traces',
      search: {
        from: new Date(window.fromMs).toISOString(),
        to: new Date(window.toMs).toISOString(),
        q: model === undefined || model === '' ? 'model:*' : `model:${quoted(model)}`,
        view: 'spans',
      },
    });
  };
  return (
    <ChartCard
      title={props.title}
      state={query}
      height={175}
      isEmpty={series.every((one) => one.points.every((point) => (point.value ?? 0) === 0))}
      empty={
        measure === 'cost'
          ? 'No model call with a known price in this time range.'
          : 'No model call reported tokens in this time range.'
      }
      query={{
        path: addressOf('aggregate'),
        body: figureBody(scope, body),
        environment,
        rows: { to: '/traces', search: { q: 'model:*', view: 'spans' } },
      }}
    >
      <TimeChart
        label={`${props.title} over time`}
        kind="bars"
        unit={props.unit}
        missing="zero"
        legend
        height={130}
        window={scope.window}
        stepSeconds={query.data?.bucketSeconds ?? step}
        series={series}
        colours={props.colours}
        total={total}
        pending={query.isPlaceholderData}
        onZoom={zoom}
        onDrill={drill}
      />
    </ChartCard>
  );
}
