import type { Panel } from '@candela/contract';
import { useMemo } from 'react';
import type { Scope } from '../../api/telemetry.ts';
import { bucketSeconds, type TimeWindow } from '../../lib/time-range.ts';
import { PanelCard } from '../panels/panel-card.tsx';

const HEIGHT = 164;

type Body = Extract<Panel['query'], { kind: 'aggregate' }>['body'];

const overTime = (body: Pick<Body, 'measures'> & Partial<Body>, visual: Panel['visual']): Panel => ({
  query: {
    kind: 'aggregate',
    body: { signal: 'spans', groupBy: [], limit: 50, comparePrevious: false, ...body },
  },
  visual,
});

/** Cost by model, tokens, and failures over time, of the spans that fit the scope. */
export function UsageCharts({ scope, onZoom }: { scope: Scope; onZoom: (window: TimeWindow) => void }) {
  const step = bucketSeconds(scope.window, 60);
  const [cost, tokens, spans] = useMemo(
    () => [
      overTime(
        { q: 'model:*', groupBy: ['model'], measures: ['cost'], bucketSeconds: step, limit: 8 },
        { type: 'bar', legend: true },
      ),
      overTime({ measures: ['input_tokens', 'output_tokens'], bucketSeconds: step }, { type: 'bar' }),
      overTime({ measures: ['count', 'errors'], bucketSeconds: step }, { type: 'line' }),
    ],
    [step],
  );
  const frame = { scope, height: HEIGHT, onZoom };
  return (
    <div className="grid gap-3 lg:grid-cols-3">
      <PanelCard
        {...frame}
        title="Cost by model"
        panel={cost}
        empty="No model call with a known price in this time range."
      />
      <PanelCard {...frame} title="Tokens" panel={tokens} />
      <PanelCard {...frame} title="Spans and failures" panel={spans} />
    </div>
  );
}
