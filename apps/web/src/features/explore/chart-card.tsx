import type { ReactNode } from 'react';
import { ApiError } from '../../api/client.ts';
import { cx } from '../../lib/cx.ts';
import { transfersFocus } from '../../lib/transfer-focus.ts';
import { useRetry } from '../../lib/use-retry.ts';
import { Button } from '../../ui/button.tsx';
import type { OpenQuery } from './open-query.tsx';
import { OpenQueryButton } from './open-query-button.tsx';

/** What a card reads of a query's result. */
interface CardState {
  readonly isPending: boolean;
  readonly isError: boolean;
  readonly error: unknown;
  readonly data?: unknown;
  readonly isPlaceholderData?: boolean;
  refetch(): unknown;
}

/** The frame of a chart: title, loading, empty and error states, and the way to the query behind it. */
export function ChartCard(props: {
  title: string;
  /** Beside the title: what is drawn, by which unit. */
  note?: ReactNode;
  /** The chart's query; several: the first that is not well speaks. */
  state?: CardState | readonly CardState[];
  /** True when the answer holds nothing to draw; `empty` says so in words. */
  isEmpty?: boolean;
  empty?: ReactNode;
  /** The request behind the chart, or several, for "Open as query". */
  query?: OpenQuery | readonly OpenQuery[];
  actions?: ReactNode;
  /** Height of the body while there is no chart. */
  height?: number;
  className?: string;
  children: ReactNode;
}) {
  const states = props.state === undefined ? [] : [props.state].flat();
  const failed = states.find((state) => state.isError && state.data === undefined);
  // What could not be asked for again is shown as it was, dimmed.
  const isOld = states.some((state) => state.isPlaceholderData === true || state.isError);
  const loading = states.some((state) => state.isPending);
  const height = props.height ?? 140;
  return (
    <section
      aria-label={props.title}
      className={cx('flex min-w-0 flex-col rounded-md border border-line bg-surface p-2', props.className)}
    >
      <header className="mb-1 flex h-6 items-center gap-x-2 max-sm:h-auto max-sm:min-h-6 max-sm:flex-wrap">
        <h2 className="truncate font-medium" title={props.title}>
          {props.title}
        </h2>
        {props.note !== undefined && <span className="truncate text-sm text-muted">{props.note}</span>}
        <span className="ml-auto flex items-center gap-1">
          {props.actions}
          {props.query && <OpenQueryButton title={props.title} query={props.query} className="h-6 px-1" />}
        </span>
      </header>
      {failed ? (
        <Failed error={failed.error} height={height} onRetry={() => void failed.refetch()} />
      ) : loading ? (
        <div
          role="status"
          aria-label={`Loading ${props.title}`}
          className="skeleton w-full"
          style={{ height }}
        />
      ) : props.isEmpty === true ? (
        <div
          className="flex flex-col items-center justify-center text-center text-sm text-muted"
          style={{ minHeight: height }}
        >
          {props.empty ?? 'Nothing in this time range.'}
        </div>
      ) : (
        <div className={cx(isOld && 'opacity-60')}>{props.children}</div>
      )}
    </section>
  );
}

/** A chart that failed says why in its own place; the rest of the page goes on. */
function Failed(props: { error: unknown; height: number; onRetry: () => void }) {
  const again = useRetry(props.error, props.onRetry);
  const requestId = props.error instanceof ApiError ? props.error.requestId : '';
  return (
    <div
      ref={transfersFocus}
      className="flex flex-col items-center justify-center gap-1 px-4 text-center text-sm text-muted"
      style={{ minHeight: props.height }}
    >
      <p role="alert">
        {props.error instanceof Error ? props.error.message : 'This chart could not be loaded.'}
      </p>
      {requestId !== '' && (
        <p>
          Request <code className="font-mono">{requestId}</code>
        </p>
      )}
      <Button className="h-6" busy={again.asking} onClick={again.ask}>
        Try again
      </Button>
    </div>
  );
}
