import type { BoardVariable, Widget } from '@candela/contract';
import type { FillValues } from '@candela/contract/fill';
import { useNavigate } from '@tanstack/react-router';
import { Copy, Download, Image, Pencil, Trash2 } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import type { Scope } from '../../api/telemetry.ts';
import { groupOfKey } from '../../charts/prepare/aggregate-series.ts';
import { cx } from '../../lib/cx.ts';
import { join, quoted } from '../../lib/query-text.ts';
import type { TimeWindow } from '../../lib/time-range.ts';
import { Button } from '../../ui/button.tsx';
import { OpenQueryButton } from '../explore/open-query-button.tsx';
import { openQueryOf } from '../panels/panel-query.ts';
import { PanelView } from '../panels/panel-view.tsx';
import { useShell } from '../shell/shell-search.ts';
import { saveCsv, savePicture } from './download.ts';
import { narrowedPanel } from './narrowed-panel.ts';
import type { WidgetState } from './use-board-data.ts';

/** Pixels of a card around its drawing. */
const FRAME = 46;

/** One widget of a board: its title, its answer or why there is none, and what can be done with it. */
export function WidgetCard(props: {
  widget: Widget;
  state: WidgetState | undefined;
  scope: Scope;
  /** What placeholders of its statement stand for. */
  fill: { variables: readonly BoardVariable[]; chosen: FillValues['chosen'] };
  height: number;
  handles: ReactNode;
  editing: boolean;
  onEdit: () => void;
  onCopy: () => void;
  onRemove: () => void;
}) {
  const { widget, state, scope, height } = props;
  const { setRange } = useShell();
  const navigate = useNavigate();
  const body = useRef<HTMLDivElement>(null);
  const panel = { query: widget.query, visual: widget.visual };
  const narrowed = narrowedPanel(panel, { ...props.fill, scope });
  const query = openQueryOf(narrowed, scope);
  const asked = narrowed.query;
  const isText = asked.kind === 'markdown';
  const notes = state?.frame?.notes.join(' ') ?? '';
  const drill =
    asked.kind !== 'aggregate'
      ? undefined
      : (at: { window?: TimeWindow; group?: string }) => {
          const { q = '', groupBy } = asked.body;
          const values = at.group === undefined ? [] : groupOfKey(at.group);
          const rows = groupBy.reduce((text, field, index) => {
            const value = values[index];
            return value === undefined || value === '' ? text : join(text, `${field}:${quoted(value)}`);
          }, q);
          void navigate({
            to: asked.body.signal === 'logs' ? '/logs' : '/traces',
            search: {
              q: rows,
              ...(asked.body.signal === 'logs' ? {} : { view: 'spans' }),
              ...(at.window === undefined
                ? {}
                : {
                    from: new Date(at.window.fromMs).toISOString(),
                    to: new Date(at.window.toMs).toISOString(),
                  }),
            },
          });
        };
  return (
    <section
      aria-label={widget.title}
      className="group/widget relative flex h-full min-w-0 flex-col overflow-hidden rounded-md border border-line bg-surface p-2"
    >
      <header className="mb-1 flex h-6 shrink-0 items-center gap-1">
        {props.handles}
        <h2 className="truncate font-medium" title={widget.description || widget.title}>
          {widget.title}
        </h2>
        {state?.frame?.sample != null && <span className="text-sm text-muted">estimated</span>}
        {notes !== '' && (
          <span className="min-w-0 truncate text-xs text-muted" title={notes}>
            {notes}
          </span>
        )}
        <span
          className={cx(
            'flex shrink-0 items-center',
            props.editing ? 'ml-auto' : 'absolute right-2 rounded-md bg-surface',
            !props.editing &&
              'opacity-0 group-focus-within/widget:opacity-100 group-hover/widget:opacity-100 pointer-coarse:opacity-100',
          )}
        >
          {props.editing ? (
            <>
              <Act
                label={`Edit ${widget.title}`}
                onClick={props.onEdit}
                icon={<Pencil size={13} aria-hidden />}
              />
              <Act
                label={`Copy ${widget.title}`}
                onClick={props.onCopy}
                icon={<Copy size={13} aria-hidden />}
              />
              <Act
                label={`Remove ${widget.title}`}
                onClick={props.onRemove}
                icon={<Trash2 size={13} aria-hidden />}
              />
            </>
          ) : (
            !isText &&
            state?.frame !== undefined && (
              <>
                <Act
                  label={`Save ${widget.title} as CSV`}
                  icon={<Download size={13} aria-hidden />}
                  onClick={() => state.frame && saveCsv(widget.title, state.frame)}
                />
                <Act
                  label={`Save ${widget.title} as picture`}
                  icon={<Image size={13} aria-hidden />}
                  onClick={() => body.current && void savePicture(widget.title, body.current)}
                />
                {query && <OpenQueryButton title={widget.title} query={query} className="h-6 px-1" />}
              </>
            )
          )}
        </span>
      </header>
      <div ref={body} className={cx('min-h-0 flex-1', state?.stale === true && 'opacity-60')}>
        {state?.err !== undefined ? (
          <p role="alert" className="p-2 text-sm text-danger">
            {state.err}
          </p>
        ) : state?.frame === undefined ? (
          <div role="status" aria-label={`Loading ${widget.title}`} className="skeleton h-full w-full" />
        ) : state.frame.rows.length === 0 && widget.visual.type !== 'stat' ? (
          <p className="flex h-full items-center justify-center text-sm text-muted">
            Nothing in this time range.
          </p>
        ) : (
          <PanelView
            title={widget.title}
            panel={panel}
            frame={state.frame}
            window={scope.window}
            height={height - FRAME}
            pending={state.stale}
            onDrill={props.editing ? undefined : drill}
            onZoom={(window) =>
              setRange({
                from: new Date(window.fromMs).toISOString(),
                to: new Date(window.toMs).toISOString(),
              })
            }
          />
        )}
      </div>
    </section>
  );
}

const Act = (props: { label: string; icon: ReactNode; onClick: () => void }) => (
  <Button
    look="plain"
    className="h-6 px-1"
    aria-label={props.label}
    title={props.label}
    onClick={props.onClick}
  >
    {props.icon}
  </Button>
);
