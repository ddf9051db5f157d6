import type { MetricRow } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import { smallMetricQuery } from '../../api/metrics.ts';
import type { Scope } from '../../api/telemetry.ts';
import { Sparkline } from '../../charts/visualise/sparkline.tsx';
import { DASH } from '../../lib/format.ts';
import { exactValue, formatValue } from '../../lib/format-value.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import type { GridColumn } from '../../ui/data-grid.tsx';
import { countCell, Muted, NONE, TIME_WIDTH, TimeCell } from '../explore/cells.tsx';
import { printQuery } from './explore-search.ts';
import { typeWords } from './metric-words.ts';

/**
 * The metric's usual question over the window of the page, drawn small; asked only of rows that are on screen. Its step is
 * left to the server, which knows how often the metric reports: any other shows waves and gaps that are none.
 */
function Spark({ row, scope }: { row: MetricRow; scope: Scope }) {
  const { data, isError } = useQuery(smallMetricQuery({ ...scope, q: '' }, { metric: row.name, limit: 1 }));
  if (isError) return <Muted>{DASH}</Muted>;
  if (data === undefined) return <div className="skeleton h-4 w-24" />;
  const values = data.series[0]?.points.map(([, value]) => value) ?? [];
  return (
    <Sparkline
      label={`${data.aggregation ?? ''} of ${row.name}`}
      values={values}
      unit={data.valueUnit}
      width={104}
      height={20}
    />
  );
}

/** Columns of the catalogue. */
export function metricColumns(scope: Scope): GridColumn<MetricRow>[] {
  return [
    {
      id: 'name',
      label: 'Metric',
      width: 200,
      grow: 2,
      record: 'lead',
      cell: (row, tabIndex) => (
        <span className="flex items-center gap-1.5">
          <Link
            tabIndex={tabIndex}
            to="/metrics/explore"
            search={{ a: printQuery({ metric: row.name, groupBy: [], filter: '' }) }}
            className="min-w-0 font-mono text-sm hover:underline"
          >
            <MiddleTruncation name={row.name} />
          </Link>
          {row.variants.length > 1 && (
            <span
              title={`Senders disagree: ${row.variants.map((one) => `${typeWords(one)} in ${one.unit || 'no unit'} (${one.series} series)`).join('; ')}`}
              className="flex items-center gap-1 rounded bg-warn-soft px-1 text-xs text-warn"
            >
              <TriangleAlert size={11} aria-hidden />
              {row.variants.length} shapes
            </span>
          )}
        </span>
      ),
    },
    { id: 'spark', label: 'In the time range', width: 122, cell: (row) => <Spark row={row} scope={scope} /> },
    {
      id: 'last',
      label: 'Last value',
      width: 100,
      align: 'end',
      cell: (row) => {
        const counts = row.type !== 'gauge' && row.type !== 'sum';
        const unit = counts ? '' : row.pointUnit;
        return (
          <span title={`${exactValue(row.lastValue, unit)}${counts ? ' measured since the start' : ''}`}>
            {counts ? <Muted>n = </Muted> : null}
            {formatValue(row.lastValue, unit)}
          </span>
        );
      },
    },
    {
      id: 'type',
      label: 'Type',
      width: 130,
      cell: (row) => (
        <span title={typeWords(row)} className="text-muted">
          {typeWords(row)}
        </span>
      ),
    },
    {
      id: 'unit',
      label: 'Unit',
      width: 78,
      cell: (row) => (row.unit === '' ? NONE : <span title={row.unit}>{row.unit}</span>),
    },
    { id: 'series', label: 'Series', width: 60, align: 'end', cell: (row) => countCell(row.series) },
    {
      id: 'services',
      label: 'Services',
      width: 110,
      grow: 1,
      cell: (row) => (
        <span title={row.services.join(', ')}>
          {row.services.filter((name) => name !== '').join(', ') || NONE}
          {row.serviceCount > row.services.length && ` and ${row.serviceCount - row.services.length} more`}
        </span>
      ),
    },
    {
      id: 'description',
      label: 'Description',
      width: 100,
      grow: 2,
      cell: (row) => <span title={row.description}>{row.description || NONE}</span>,
    },
    {
      id: 'time',
      label: 'Last seen',
      width: TIME_WIDTH,
      align: 'end',
      cell: (row) => <TimeCell iso={row.lastTime} />,
    },
  ];
}
