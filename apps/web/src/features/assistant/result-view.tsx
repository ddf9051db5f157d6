import type { ChatChart, Panel, SqlResult } from '@candela/contract';
import { frameOfSql } from '@candela/contract/frames';
import { Download, LayoutDashboard, SquarePen } from 'lucide-react';
import { useMemo, useState } from 'react';
import { formatCount, formatDuration } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Segments } from '../../ui/segments.tsx';
import { saveCsv } from '../boards/download.ts';
import { PanelView } from '../panels/panel-view.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { SaveWidgetDialog } from './save-widget.tsx';

const TYPES = ['table', 'bar', 'line', 'area', 'pie', 'stat'] as const;

/** Rows of a statement as table or chart, with what can be done with them. */
export function ResultView(props: {
  title: string;
  sql: string;
  result: SqlResult;
  chart: ChatChart | null;
  height?: number;
  /** Lets the statement be changed; absent where it is changed anyway. */
  onEdit?: () => void;
}) {
  const { result, sql, chart, height = 260 } = props;
  const { can } = useWhoAsks();
  const [chosen, setChosen] = useState<ChatChart['type']>();
  const [saving, setSaving] = useState(false);
  const frame = useMemo(() => frameOfSql(result), [result]);
  const type = chosen ?? chart?.type ?? 'table';
  const at = frame.columns.findIndex(({ kind }) => kind === 'time');
  const times = frame.rows.flatMap((row) => (typeof row[at] === 'number' ? [row[at]] : []));
  const step = (frame.stepSeconds ?? 60) * 1_000;
  const window = {
    fromMs: times.reduce((least, time) => Math.min(least, time), times[0] ?? 0),
    toMs: times.reduce((most, time) => Math.max(most, time), times[0] ?? 0) + step,
  };
  const panel: Panel = {
    query: { kind: 'sql', query: sql || 'SELECT 1' },
    visual: {
      type,
      ...(chart?.x == null ? {} : { x: chart.x }),
      ...(chart === null || chart.y.length === 0 ? {} : { y: chart.y }),
      ...(chart?.series == null ? {} : { series: chart.series }),
    },
  };
  const { rowsRead, elapsedMs } = result.stats;
  return (
    <section aria-label={props.title} className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Segments label="Shown as" size="small" value={type} choices={TYPES} onChoose={setChosen} />
        <p className="mr-auto text-xs text-muted">
          {formatCount(result.rows.length)} {result.rows.length === 1 ? 'row' : 'rows'}
          {result.truncated ? ', more exist' : ''} · {formatCount(rowsRead)} read ·{' '}
          {formatDuration(elapsedMs)}
        </p>
        {props.onEdit !== undefined && (
          <Button look="plain" className="h-6" onClick={props.onEdit}>
            <SquarePen size={13} aria-hidden />
            Edit
          </Button>
        )}
        <Button look="plain" className="h-6" onClick={() => saveCsv(props.title, frame)}>
          <Download size={13} aria-hidden />
          CSV
        </Button>
        {can('member') && sql !== '' && (
          <Button look="plain" className="h-6" onClick={() => setSaving(true)}>
            <LayoutDashboard size={13} aria-hidden />
            Save as widget
          </Button>
        )}
      </div>
      {result.rows.length === 0 ? (
        <p className="py-6 text-center text-sm text-muted">No rows in this time range.</p>
      ) : (
        <PanelView title={props.title} panel={panel} frame={frame} window={window} height={height} />
      )}
      {saving && (
        <SaveWidgetDialog sql={sql} visual={panel.visual} type={type} onClose={() => setSaving(false)} />
      )}
    </section>
  );
}
