import type { Panel } from '@candela/contract';
import { useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Scope } from '../../api/telemetry.ts';
import { groupOfKey } from '../../charts/prepare/aggregate-series.ts';
import { quoted } from '../../lib/query-text.ts';
import { bucketSeconds, type TimeWindow } from '../../lib/time-range.ts';
import { PanelCard } from '../panels/panel-card.tsx';
import { panelFrameQuery } from '../panels/panel-query.ts';
import type { PanelViewProps } from '../panels/panel-view.tsx';
import { sharedLook } from '../panels/prepare-frame.ts';
import { useShell } from '../shell/shell-search.ts';

/** What the charts draw; the rest is counted as "N of M". */
const MOST_MODELS = 8;

const byModel = (measure: 'cost' | 'total_tokens', bucket: number): Panel => ({
  query: {
    kind: 'aggregate',
    body: {
      signal: 'spans',
      q: 'model:*',
      groupBy: ['model'],
      measures: [measure],
      bucketSeconds: bucket,
      limit: MOST_MODELS,
      comparePrevious: false,
    },
  },
  visual: { type: 'bar', legend: true },
});

const WAYS = [
  {
    measure: 'cost',
    title: 'Cost by model',
    empty: 'No model call with a known price in this time range.',
  },
  {
    measure: 'total_tokens',
    title: 'Tokens by model',
    empty: 'No model call reported tokens in this time range.',
  },
] as const;

/** Cost and tokens over time, a series a model; the same model has the same name and colour in both. */
export function ByModel({ scope }: { scope: Scope }) {
  const { setRange } = useShell();
  const navigate = useNavigate();
  const step = bucketSeconds(scope.window, 60);
  const panels = useMemo(() => WAYS.map((way) => ({ ...way, panel: byModel(way.measure, step) })), [step]);
  const answers = useQueries({ queries: panels.map(({ panel }) => panelFrameQuery(panel, scope)) });
  const [cost, tokens] = answers.map(({ data }) => data);
  const shared = useMemo(
    () => sharedLook(panels.map(({ panel: { visual } }, at) => ({ visual, frame: [cost, tokens][at] }))),
    [panels, cost, tokens],
  );
  const zoom = (window: TimeWindow) => setRange(isoRange(window));
  const drill: PanelViewProps['onDrill'] = ({ window = scope.window, group }) => {
    const model = group === undefined ? '' : groupOfKey(group)[0];
    void navigate({
      to: '/traces',
      search: { ...isoRange(window), q: model ? `model:${quoted(model)}` : 'model:*', view: 'spans' },
    });
  };
  return (
    <div className="grid shrink-0 gap-2 lg:grid-cols-2">
      {panels.map(({ title, empty, panel }) => (
        <PanelCard
          key={title}
          title={title}
          panel={panel}
          scope={scope}
          height={175}
          empty={empty}
          shared={shared}
          onZoom={zoom}
          onDrill={drill}
        />
      ))}
    </div>
  );
}

const isoRange = ({ fromMs, toMs }: TimeWindow) => ({
  from: new Date(fromMs).toISOString(),
  to: new Date(toMs).toISOString(),
});
