import type { IngestClient, IngestTrouble } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type IngestHealth, ingestHealthQuery } from '../../api/ingest-health.ts';
import { MeterBar } from '../../charts/visualise/meter-bar.tsx';
import { TimeChart } from '../../charts/visualise/time-chart.tsx';
import { cx } from '../../lib/cx.ts';
import { exact, formatCount, formatDuration, formatTime } from '../../lib/format.ts';
import { formatValue } from '../../lib/format-value.ts';
import { zonePreference } from '../../lib/zone.ts';
import { Failure, SkeletonRows } from '../../ui/states.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { reasonText, sinceText } from './words.ts';

const MINUTE_MS = 60_000;

/** What is received, what is refused and why, and what waits for the store; live. */
export function IngestPage() {
  const query = useQuery(ingestHealthQuery());
  const { data } = query;
  if (query.isPending) return <SkeletonRows rows={12} label="Loading ingest health" />;
  if (data === undefined) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <div className="flex h-full flex-col gap-3 overflow-auto p-3">
      <title>Ingest health · Candela</title>
      <header className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <h1 className="flex items-center gap-2 text-lg font-semibold">
          <StatusIcon status={data.state === 'ok' ? 'ok' : 'error'} />
          Ingest health
        </h1>
        <Since data={data} />
        {query.isError && <span className="text-danger">Not up to date: the server does not answer.</span>}
      </header>
      {data.reasons.length > 0 && (
        <ul role="alert" className="rounded-md bg-danger-soft px-3 py-2 text-danger">
          {data.reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      <div className="grid gap-3 xl:grid-cols-[minmax(0,max-content)_minmax(24rem,1fr)]">
        <Signals data={data} />
        <Pipeline data={data} />
      </div>
      <LastHour data={data} />
      <Card title="Rejected and truncated" note="by reason, the latest first">
        <Troubles rows={data.troubles} now={data.now} nothing="None." />
      </Card>
      {data.strangers.length > 0 && (
        <Card
          title="Without a valid key"
          note="these belong to no project; every project of this installation sees them"
        >
          <Troubles rows={data.strangers} now={data.now} nothing="" told={false} />
        </Card>
      )}
      <Card
        title="Clients"
        note={
          data.clientsForgotten > 0
            ? `the latest ${data.clients.length}; ${formatCount(data.clientsForgotten)} more were forgotten`
            : 'by the name they send, the latest first'
        }
      >
        <Clients rows={data.clients} now={data.now} />
      </Card>
    </div>
  );
}

function Since({ data }: { data: IngestHealth }) {
  const zone = zonePreference.use();
  return (
    <p className="text-sm text-muted">
      Counted since {formatTime(Date.parse(data.since), zone).slice(0, -4)}, when this process started; kept
      in memory.
    </p>
  );
}

function Card(props: { title: string; note?: string; children: ReactNode }) {
  return (
    <section aria-label={props.title} className="min-w-0 rounded-md border border-line bg-surface">
      <header className="flex items-baseline gap-2 px-3 py-1.5">
        <h2 className="font-medium">{props.title}</h2>
        {props.note !== undefined && <span className="text-sm text-muted">{props.note}</span>}
      </header>
      <div className="overflow-x-auto">{props.children}</div>
    </section>
  );
}

const HEAD = 'border-b border-line px-2 py-1 text-left text-xs font-normal whitespace-nowrap text-muted';
const CELL = 'border-b border-line/50 px-2 py-1 align-top';
const NUMBER = 'text-right whitespace-nowrap';

function Table(props: {
  label: string;
  head: readonly string[];
  numbers: ReadonlySet<number>;
  children: ReactNode;
}) {
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={`${props.label}, table`}>
      <table className="w-full text-sm">
        <thead>
          <tr>
            {props.head.map((title, at) => (
              <th key={title} scope="col" className={cx(HEAD, props.numbers.has(at) && 'text-right')}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{props.children}</tbody>
      </table>
    </div>
  );
}

const Count = ({ value, loud }: { value: number; loud?: boolean }) => (
  <td className={cx(CELL, NUMBER, loud === true && value > 0 && 'text-danger')} title={exact(value)}>
    {formatCount(value)}
  </td>
);

function Signals({ data }: { data: IngestHealth }) {
  const head = [
    'Signal',
    'Last received',
    'Requests',
    'Accepted',
    'Rejected',
    'Refused',
    'Repeated',
    'Bytes',
  ];
  return (
    <Card title="Received" note="accepted and rejected are records, refused and repeated are requests">
      <Table label="Received" head={head} numbers={new Set([2, 3, 4, 5, 6, 7])}>
        {data.signals.map((row) => (
          <tr key={row.signal}>
            <td className={cx(CELL, 'capitalize')}>{row.signal}</td>
            <td className={cx(CELL, 'whitespace-nowrap')} title={row.lastTime ?? 'nothing yet'}>
              {sinceText(row.lastTime, Date.parse(data.now))}
            </td>
            <Count value={row.requests} />
            <Count value={row.accepted} />
            <Count value={row.rejected} loud />
            <Count value={row.refused} loud />
            <Count value={row.duplicates} />
            <td className={cx(CELL, NUMBER)} title={`${exact(row.bytes)} bytes as received`}>
              {formatValue(row.bytes, 'By')}
            </td>
          </tr>
        ))}
      </Table>
    </Card>
  );
}

function Pipeline({ data }: { data: IngestHealth }) {
  const { pipeline } = data;
  return (
    <Card title="Ingest pipeline" note="of this installation">
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2 px-3 pb-3 text-sm md:grid-cols-4">
        <Fact label="Lag" title="Age of the oldest request that is not yet in the store">
          {formatDuration(pipeline.lagMs)}
        </Fact>
        <Fact label="Waiting requests">{formatCount(pipeline.backlogRequests)}</Fact>
        <Fact label="Being decoded">
          {formatValue(pipeline.pendingBytes, 'By')}, {formatCount(pipeline.decodeQueue)} waiting
        </Fact>
        <Fact label="Store">{pipeline.store}</Fact>
        <Fact label="Engine restarts" bad={pipeline.engineRestarts > 0}>
          {formatCount(pipeline.engineRestarts)}
        </Fact>
        <Fact label="Decoders lost" bad={pipeline.decodeWorkersLost > 0}>
          {formatCount(pipeline.decodeWorkersLost)}
        </Fact>
        <Fact label="Dead letters" bad={pipeline.quarantinedRequests > 0}>
          {formatCount(pipeline.quarantinedRequests)}
        </Fact>
        <Fact label="Quarantined segments" bad={pipeline.quarantinedSegments > 0}>
          {formatCount(pipeline.quarantinedSegments)}
        </Fact>
      </dl>
      <div className="grid gap-3 px-3 pb-3 md:max-xl:grid-cols-2">
        <Meter
          label="Write-ahead log"
          value={pipeline.logBytes}
          max={pipeline.logCapBytes}
          unit="By"
          warnAt={pipeline.logCapBytes * 0.5}
          dangerAt={pipeline.logCapBytes * 0.8}
          text={`${formatValue(pipeline.logBytes, 'By')} of ${formatValue(pipeline.logCapBytes, 'By')}`}
        />
        <Meter
          label="Disk used"
          value={100 - pipeline.freeDiskPercent}
          max={100}
          unit="%"
          warnAt={100 - pipeline.minFreeDiskPercent * 2}
          dangerAt={100 - pipeline.minFreeDiskPercent}
          text={`${pipeline.freeDiskPercent.toFixed(1)}% free, stops below ${pipeline.minFreeDiskPercent}%`}
        />
      </div>
    </Card>
  );
}

/** A level with its words above the bar, where they have room. */
function Meter(props: {
  label: string;
  value: number;
  max: number;
  unit: string;
  warnAt: number;
  dangerAt: number;
  text: string;
}) {
  return (
    <div className="text-sm">
      <p className="flex gap-2">
        <span className="shrink-0 text-muted">{props.label}</span>
        <span className="ml-auto truncate">{props.text}</span>
      </p>
      <MeterBar {...props} bare />
    </div>
  );
}

function Fact(props: { label: string; title?: string; bad?: boolean; children: ReactNode }) {
  return (
    <div title={props.title}>
      <dt className="text-xs text-muted">{props.label}</dt>
      <dd className={cx('font-medium', props.bad === true && 'text-danger')}>{props.children}</dd>
    </div>
  );
}

function LastHour({ data }: { data: IngestHealth }) {
  const first = Date.parse(data.minutes[0]?.time ?? data.now);
  const last = Date.parse(data.minutes.at(-1)?.time ?? data.now);
  const points = (read: (minute: IngestHealth['minutes'][number]) => number) =>
    data.minutes.map((minute) => ({ timeMs: Date.parse(minute.time), value: read(minute) }));
  return (
    <Card title="The last hour" note="records a minute">
      <div className="px-3 pt-2 pb-2">
        <TimeChart
          label="Records a minute over the last hour"
          kind="bars"
          missing="zero"
          height={90}
          window={{ fromMs: first, toMs: last + MINUTE_MS }}
          stepSeconds={60}
          series={[
            { key: 'accepted', label: 'accepted', points: points((minute) => minute.accepted), tone: 'ok' },
            {
              key: 'rejected',
              label: 'rejected',
              points: points((minute) => minute.rejected),
              tone: 'danger',
            },
            {
              key: 'refused',
              label: 'refused requests',
              points: points((minute) => minute.refused),
              tone: 'warn',
            },
          ]}
        />
      </div>
    </Card>
  );
}

const KINDS = {
  record: 'record left out',
  request: 'request refused',
  changed: 'kept, but changed',
} as const;

const TROUBLE_HEAD = ['What', 'Signal', 'Why', 'Times', 'Last', 'Client'];

function Troubles(props: {
  rows: readonly IngestTrouble[];
  now: string;
  nothing: string;
  /** False: nobody but the sender may read what it was told. */
  told?: false;
}) {
  if (props.rows.length === 0) return <p className="px-3 pb-3 text-muted">{props.nothing}</p>;
  return (
    <Table
      label={props.told === false ? 'Without a valid key' : 'Rejected and truncated'}
      head={props.told === false ? TROUBLE_HEAD : [...TROUBLE_HEAD, 'What the sender was told']}
      numbers={new Set([3])}
    >
      {props.rows.map((row) => (
        <tr key={`${row.what} ${row.signal} ${row.reason}`}>
          <td
            className={cx(CELL, 'whitespace-nowrap', row.what === 'changed' ? 'text-muted' : 'text-danger')}
          >
            {KINDS[row.what]}
          </td>
          <td className={CELL}>{row.signal}</td>
          <td className={CELL} title={row.reason}>
            {reasonText(row.reason)}
          </td>
          <Count value={row.count} />
          <td className={cx(CELL, 'whitespace-nowrap')} title={row.lastTime}>
            {sinceText(row.lastTime, Date.parse(props.now))}
          </td>
          <td className={cx(CELL, 'max-w-52 truncate')} title={row.client}>
            {row.client || 'unnamed'}
          </td>
          {props.told !== false && (
            <td className={cx(CELL, 'max-w-96 truncate text-muted')} title={row.message}>
              {row.message || '–'}
            </td>
          )}
        </tr>
      ))}
    </Table>
  );
}

function Clients({ rows, now }: { rows: readonly IngestClient[]; now: string }) {
  if (rows.length === 0) return <p className="px-3 pb-3 text-muted">Nothing was received since the start.</p>;
  const head = [
    'Client',
    'By',
    'Key',
    'SDK',
    'Services',
    'Accepted',
    'Rejected',
    'Refused',
    'Last',
    'Trouble',
  ];
  return (
    <Table label="Clients" head={head} numbers={new Set([5, 6, 7])}>
      {rows.map((row) => (
        <tr key={`${row.name} ${row.version} ${row.transport} ${row.key}`}>
          <td className={cx(CELL, 'max-w-64 truncate')} title={`${row.name} ${row.version}`}>
            {row.name || 'unnamed'} <span className="text-muted">{row.version}</span>
          </td>
          <td className={cx(CELL, 'whitespace-nowrap')}>{row.transport}</td>
          <td className={cx(CELL, 'whitespace-nowrap text-muted')}>{row.key ?? 'none, this machine'}</td>
          <td className={cx(CELL, 'max-w-44 truncate')} title={row.sdks.join(', ')}>
            {row.sdks.join(', ') || '–'}
          </td>
          <td className={cx(CELL, 'max-w-44 truncate')} title={row.services.join(', ')}>
            {row.services.join(', ') || '–'}
          </td>
          <Count value={row.accepted} />
          <Count value={row.rejected} loud />
          <Count value={row.refused} loud />
          <td className={cx(CELL, 'whitespace-nowrap')} title={row.lastTime}>
            {sinceText(row.lastTime, Date.parse(now))}
          </td>
          <td className={cx(CELL, 'max-w-36 truncate text-muted')} title={row.trouble?.message ?? ''}>
            {row.trouble === null ? '–' : reasonText(row.trouble.reason)}
          </td>
        </tr>
      ))}
    </Table>
  );
}
