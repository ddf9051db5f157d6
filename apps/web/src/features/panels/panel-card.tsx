import type { Panel } from '@candela/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Scope } from '../../api/telemetry.ts';
import type { TimeWindow } from '../../lib/time-range.ts';
import { ChartCard } from '../explore/chart-card.tsx';
import { openQueryOf, panelFrameQuery } from './panel-query.ts';
import { partsOf, seriesOfFrame } from './prepare-frame.ts';
import { PanelView } from './panel-view.tsx';

/** A panel on a page: asked within the scope of the page, with its states and the query behind it. */
export function PanelCard(props: {
  title: string;
  panel: Panel;
  scope: Scope;
  height?: number;
  empty?: ReactNode;
  onZoom?: (window: TimeWindow) => void;
}) {
  const { panel, scope, height = 160 } = props;
  const state = useQuery({ ...panelFrameQuery(panel, scope), placeholderData: keepPreviousData });
  const frame = state.data;
  const query = openQueryOf(panel, scope);
  const isEmpty =
    frame !== undefined &&
    (partsOf(frame, panel.visual).time === -1
      ? frame.rows.length === 0
      : seriesOfFrame(frame, panel.visual).series.every(({ points }) =>
          points.every(({ value }) => value === null),
        ));
  return (
    <ChartCard
      title={props.title}
      state={state}
      height={height}
      isEmpty={isEmpty}
      {...(props.empty === undefined ? {} : { empty: props.empty })}
      {...(query === undefined ? {} : { query })}
    >
      {frame && (
        <PanelView
          title={props.title}
          panel={panel}
          frame={frame}
          window={scope.window}
          height={height}
          pending={state.isPlaceholderData}
          onZoom={props.onZoom}
        />
      )}
    </ChartCard>
  );
}
