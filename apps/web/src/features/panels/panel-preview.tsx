import type { Frame, Panel } from '@candela/contract';
import type { TimeWindow } from '../../lib/time-range.ts';
import { ErrorLine } from '../../ui/error-line.tsx';
import { PanelView } from './panel-view.tsx';

const HEIGHT = 220;

/** How a panel that is being built looks with the answer it has. */
export function PanelPreview(props: {
  title: string;
  panel: Panel;
  window: TimeWindow;
  state: { readonly data: Frame | undefined; readonly error: Error | null; readonly isFetching: boolean };
}) {
  const { panel } = props;
  const { data, error, isFetching } = props.state;
  return (
    <section
      aria-label="Preview"
      className="shrink-0 overflow-hidden rounded-md border border-line bg-bg p-2"
      style={{ minHeight: HEIGHT }}
    >
      {error ? (
        <ErrorLine error={error} />
      ) : data === undefined ? (
        <div role="status" aria-label="Loading the preview" className="skeleton h-48 w-full" />
      ) : data.rows.length === 0 && panel.visual.type !== 'stat' ? (
        <p className="flex h-48 items-center justify-center text-muted">Nothing in this time range.</p>
      ) : (
        <PanelView
          title={props.title}
          panel={panel}
          frame={data}
          window={props.window}
          height={HEIGHT - 20}
          pending={isFetching}
        />
      )}
    </section>
  );
}
