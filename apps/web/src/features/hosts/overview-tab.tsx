import type { getHost, ResponseOf } from '@candela/contract';
import { formatCount } from '../../lib/format.ts';
import { formatValue } from '../../lib/format-value.ts';
import { MeterBar } from '../../charts/visualise/meter-bar.tsx';
import { ChartCard } from '../explore/chart-card.tsx';
import { THRESHOLDS } from './attention.ts';
import { CpuStrip } from './cpu-strip.tsx';
import { CurveCard, type CurveSource } from './curve-card.tsx';
import type { Name } from './curves.ts';
import { Table, type TableColumn } from '../../ui/table.tsx';

type Detail = ResponseOf<typeof getHost>['data'];

const byMode: Name = ({ part }) => ({ key: part || 'busy', label: part || 'busy' });
const byMount: Name = ({ device }) => ({ key: device, label: device });
/** What is free is not in use: it would fill the chart to the top and say nothing. */
const inUse: Name = ({ part }) =>
  part === 'free' ? undefined : { key: part || 'used', label: part || 'used' };

const filesystemColumns: TableColumn<Detail['filesystems'][number]>[] = [
  { label: 'File system', cell: (row) => row.mountpoint },
  {
    label: 'Full',
    className: 'w-40',
    cell: (row) => (
      <MeterBar
        label={`${row.mountpoint} full`}
        value={row.utilization}
        warnAt={THRESHOLDS.filesystem.warn}
        dangerAt={THRESHOLDS.filesystem.danger}
      />
    ),
  },
  { label: 'Used', align: 'end', cell: (row) => formatValue(row.usedBytes, 'By') },
  { label: 'Size', align: 'end', cell: (row) => formatValue(row.totalBytes, 'By') },
];
const diskColumns: TableColumn<Detail['disks'][number]>[] = [
  { label: 'Disk', cell: (row) => row.device },
  { label: 'Read', align: 'end', cell: (row) => formatValue(row.readBytesPerSecond, 'By/s') },
  { label: 'Written', align: 'end', cell: (row) => formatValue(row.writeBytesPerSecond, 'By/s') },
  { label: 'Reads', align: 'end', cell: (row) => formatValue(row.readsPerSecond, '{operation}/s') },
  { label: 'Writes', align: 'end', cell: (row) => formatValue(row.writesPerSecond, '{operation}/s') },
];
const networkColumns: TableColumn<Detail['networks'][number]>[] = [
  { label: 'Interface', cell: (row) => row.name },
  { label: 'Received', align: 'end', cell: (row) => formatValue(row.receiveBytesPerSecond, 'By/s') },
  { label: 'Sent', align: 'end', cell: (row) => formatValue(row.transmitBytesPerSecond, 'By/s') },
  { label: 'Errors', align: 'end', cell: (row) => formatCount(row.errors) },
];

/** CPU by core, memory by state, disks, network and file systems of a host. */
export function OverviewTab({ detail, source }: { detail: Detail; source: CurveSource }) {
  const { host } = detail;
  const cores = source.query.data?.charts.find(({ chart }) => chart === 'cpu_cores');
  return (
    <div className="grid grid-cols-2 gap-2 max-lg:grid-cols-1">
      <CurveCard
        source={source}
        chart="cpu"
        title="CPU"
        note={host.cpuCount === null ? undefined : `${host.cpuCount} logical`}
        kind="area"
        name={byMode}
      />
      <ChartCard
        title="CPU by core"
        state={source.query}
        isEmpty={(cores?.series.length ?? 0) === 0}
        empty="No single cores are reported."
        height={120}
      >
        {source.query.data && <CpuStrip data={source.query.data} />}
      </ChartCard>
      <CurveCard
        source={source}
        chart="memory"
        title="Memory"
        note={host.memoryTotalBytes === null ? undefined : `of ${formatValue(host.memoryTotalBytes, 'By')}`}
        kind="area"
        name={inUse}
      />
      <CurveCard source={source} chart="filesystem" title="File systems" note="share in use" name={byMount} />
      <CurveCard source={source} chart="network_io" title="Network" />
      <CurveCard source={source} chart="disk_io" title="Disks" />
      <section className="rounded-md border border-line bg-surface">
        <Table
          label="File systems"
          columns={filesystemColumns}
          rows={detail.filesystems}
          keyOf={(row) => row.mountpoint}
          empty="No file system is reported now."
        />
      </section>
      <section className="rounded-md border border-line bg-surface">
        <Table
          label="Network interfaces"
          columns={networkColumns}
          rows={detail.networks}
          keyOf={(row) => row.name}
          empty="No network interface is reported now."
        />
        <Table
          label="Disks"
          columns={diskColumns}
          rows={detail.disks}
          keyOf={(row) => row.device}
          empty="No disk is reported now."
        />
      </section>
    </div>
  );
}
