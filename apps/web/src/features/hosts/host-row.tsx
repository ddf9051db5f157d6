import type { HostSummary } from '@candela/contract';
import { entityKey } from '@candela/kernel';
import { Link } from '@tanstack/react-router';
import { MeterBar } from '../../charts/visualise/meter-bar.tsx';
import { formatDuration } from '../../lib/format.ts';
import { formatValue } from '../../lib/format-value.ts';
import { rem } from '../../lib/rem.ts';
import { cx } from '../../lib/cx.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { AsOf } from './as-of.tsx';
import { attentionOfHost, shareOf, THRESHOLDS } from './attention.ts';
import type { FleetHost } from './fleet.ts';
import { GpuTile } from './gpu-tile.tsx';
import { Marks } from './marks.tsx';

/** Width of what stands before the tiles. */
export const HEAD_WIDTH = 300;

const placeOf = (host: HostSummary): string =>
  [host.type, host.cloudZone ?? host.cloudRegion, host.cluster].filter((part) => part !== null).join(' · ');

/** How long ago, `3m`; what never was known is no age. */
export const agoOf = (iso: string | null, nowMs: number): string =>
  iso === null
    ? 'some time'
    : formatDuration(Math.max(0, Math.round((nowMs - Date.parse(iso)) / 1_000) * 1_000));

/** A host of the fleet: its own figures, then a tile for each GPU. */
export function HostRow(props: {
  entry: FleetHost;
  toMs: number;
  search: { in?: string };
  showEnvironment: boolean;
  active: string | undefined;
}) {
  const { host, gpus, key } = props.entry;
  const marks = attentionOfHost(host);
  // Of a silent host what it showed last: dim, with its time.
  const shown = host.last ?? host;
  return (
    <section
      aria-label={host.name}
      data-testid="host-row"
      className="flex gap-3 border-b border-line px-3 py-2 max-sm:flex-col"
    >
      <div className="flex shrink-0 flex-col gap-1 max-sm:w-full!" style={{ width: rem(HEAD_WIDTH) }}>
        <Link
          to="/hosts/$host"
          params={{ host: entityKey(host.name) }}
          search={props.search}
          data-active={props.active === key || undefined}
          className="-mx-1 flex items-baseline gap-2 rounded px-1 hover:bg-hover data-active:bg-selected data-active:outline-2 data-active:outline-accent-fill"
        >
          {/* What tells one host from another gives way last. */}
          <MiddleTruncation name={host.name} className="max-w-[60%] shrink-0 font-medium" />
          {props.showEnvironment && (
            <span className="min-w-0 shrink-[9] truncate text-xs text-muted" title={host.environment}>
              {host.environment}
            </span>
          )}
          <span className="ml-auto flex min-w-0 gap-2">
            {host.stale ? (
              <Marks
                list={[
                  {
                    level: 'danger',
                    what: 'silent',
                    text: `Not reporting for ${agoOf(host.lastSeen, props.toMs)}`,
                  },
                ]}
              />
            ) : (
              <Marks list={marks} most={1} />
            )}
          </span>
        </Link>
        <p className="truncate text-xs text-muted" title={placeOf(host)}>
          {placeOf(host) || (host.os ?? 'No more is known of it')}
        </p>
        <dl
          className={cx(
            'grid grid-cols-[2.6rem_1fr] items-center gap-x-2 text-xs',
            host.last !== null && 'text-muted',
          )}
        >
          <dt className="text-muted">CPU</dt>
          <dd>
            <MeterBar
              label="CPU"
              value={shown.cpuUtilization}
              warnAt={THRESHOLDS.cpu.warn}
              dangerAt={THRESHOLDS.cpu.danger}
            />
          </dd>
          <dt className="text-muted">Memory</dt>
          <dd>
            <MeterBar
              label="Memory"
              value={shareOf(shown.memoryUsedBytes, shown.memoryTotalBytes)}
              warnAt={THRESHOLDS.memory.warn}
              dangerAt={THRESHOLDS.memory.danger}
            />
          </dd>
          <dt className="text-muted">Disk</dt>
          <dd title={shown.filesystem?.mountpoint}>
            <MeterBar
              label="Fullest file system"
              value={shown.filesystem?.utilization ?? null}
              warnAt={THRESHOLDS.filesystem.warn}
              dangerAt={THRESHOLDS.filesystem.danger}
            />
          </dd>
        </dl>
        <p className="flex gap-3 text-xs text-muted">
          {host.last === null ? (
            <>
              <span title="Network, received">
                ↓ {formatValue(host.networkReceiveBytesPerSecond, 'By/s')}
              </span>
              <span title="Network, sent">↑ {formatValue(host.networkTransmitBytesPerSecond, 'By/s')}</span>
            </>
          ) : (
            <AsOf iso={host.last.asOf} />
          )}
          {host.uptimeSeconds !== null && (
            <span className="ml-auto" title="Since the system was started">
              up {formatDuration(host.uptimeSeconds * 1_000)}
            </span>
          )}
        </p>
      </div>
      <div className="flex min-w-0 grow flex-wrap content-start items-start gap-1.5">
        {gpus.map((node) => (
          <GpuTile
            key={node.gpu.id}
            node={node}
            host={host.name}
            search={props.search}
            active={props.active}
            tileKey={(gpu) => tileKey(key, gpu.id)}
          />
        ))}
        {gpus.length === 0 && (
          <p className="self-center text-sm text-faint">
            {host.gpus.length === 0 ? 'No GPU reported' : `None of its ${host.gpus.length} GPUs fits`}
          </p>
        )}
      </div>
    </section>
  );
}

export const tileKey = (hostKey: string, gpu: string): string => `${hostKey} ${gpu}`;
