import type { Panel } from '@candela/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Scope } from '../../api/telemetry.ts';
import type { TimeWindow } from '../../lib/time-range.ts';
import { ChartCard } from '../explore/chart-card.tsx';
import { openQueryOf, panelFrameQuery } from './panel-query.ts';
import { isZeroWhereMissing, partsOf, seriesOfFrame, type SharedLook } from './prepare-frame.ts';
import { PanelView, type PanelViewProps } from './panel-view.tsx';

/** A panel on a page: asked within the scope of the page, with its states and the query behind it. */
export function PanelCard(props: {
  title: string;
  panel: Panel;
  scope: Scope;
  height?: number;
  empty?: ReactNode;
  onZoom?: (window: TimeWindow) => void;
  onDrill?: PanelViewProps['onDrill'];
  shared?: SharedLook;
}) {
  const { panel, scope, height = 160 } = props;
  const state = useQuery({ ...panelFrameQuery(panel, scope), placeholderData: keepPreviousData });
  const frame = state.data;
  const query = openQueryOf(panel, scope);
  // A page that has words for "nothing" says them of sums that are 0, too.
  const hasOnlyZeros =
    frame !== undefined &&
    props.empty !== undefined &&
    isZeroWhereMissing(frame, panel.visual, panel.query.kind);
  const isEmpty =
    frame !== undefined &&
    (partsOf(frame, panel.visual).time === -1
      ? frame.rows.length === 0
      : seriesOfFrame(frame, panel.visual).series.every(
          ({ points }) => hasOnlyZeros && points.every(({ value }) => value === 0),
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
          onDrill={props.onDrill}
          shared={props.shared}
        />
      )}
    </ChartCard>
  );
}
