import type { Gpu } from '@candela/contract';
import { entityKey } from '@candela/kernel';
import { Link } from '@tanstack/react-router';
import { cx } from '../../lib/cx.ts';
import { DASH, nounOf } from '../../lib/format.ts';
import { exactValue, formatValue } from '../../lib/format-value.ts';
import { rem } from '../../lib/rem.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { AsOf } from './as-of.tsx';
import { attentionOfGpu, shareOf, THRESHOLDS } from './attention.ts';
import { type GpuNode, gpuNames, shortName } from './fleet.ts';
import { Marks } from './marks.tsx';

/** Space of a tile; the fleet works out rows with it before anything is drawn. */
export const TILE = { width: 168, height: 108, gap: 6, partition: 24 } as const;

export const heightOf = ({ children }: GpuNode): number => TILE.height + children.length * TILE.partition;

const degrees = (value: number | null): string => (value === null ? DASH : `${Math.round(value)}°`);

/** A word for those who hear the tile; those who see it see where the figure stands. */
const Heard = ({ children }: { children: string }) => <span className="sr-only">{children} </span>;

/** One GPU of the fleet: how busy, how full, how hot, who is on it, what is wrong; its partitions below. */
export function GpuTile(props: {
  node: GpuNode;
  host: string;
  search: { in?: string };
  active: string | undefined;
  tileKey: (gpu: Gpu) => string;
}) {
  const { gpu, children } = props.node;
  // Of a silent GPU what it showed last: dim, with its time.
  const shown = gpu.last ?? gpu;
  const attention = attentionOfGpu(gpu);
  const worst = attention[0]?.level;
  const memory = shareOf(shown.memoryUsedBytes, shown.memoryLimitBytes);
  const owner = gpu.topProcess;
  const names = gpuNames(children);
  const power =
    shown.powerWatts === null
      ? DASH
      : `${Math.round(shown.powerWatts)}${shown.powerLimitWatts === null ? '' : `/${Math.round(shown.powerLimitWatts)}`} W`;
  return (
    <div
      className={cx(
        'overflow-hidden rounded-md border bg-surface',
        worst === 'danger' ? 'border-danger' : worst === 'warn' ? 'border-warn' : 'border-line',
        gpu.stale && 'border-dashed text-muted',
      )}
      style={{ width: rem(TILE.width) }}
    >
      <Link
        to="/hosts/$host/gpus/$gpu"
        params={{ host: entityKey(props.host), gpu: entityKey(gpu.id) }}
        search={props.search}
        data-testid="gpu-tile"
        data-active={props.active === props.tileKey(gpu) || undefined}
        title={gpu.name}
        className="relative flex flex-col px-2 py-1.5 -outline-offset-2 hover:bg-hover data-active:bg-selected data-active:outline-2 data-active:outline-accent-fill"
        style={{ height: rem(TILE.height - 2) }}
      >
        <span
          aria-hidden
          data-mark
          className="absolute inset-x-0 bottom-0 bg-accent-fill/12"
          style={{ height: `${(gpu.stale ? 0 : (gpu.utilization ?? 0)) * 100}%` }}
        />
        <span className="relative flex items-baseline gap-1.5 text-sm">
          <span className="shrink-0 text-muted">
            <Heard>GPU</Heard>
            {gpu.index ?? ''}
          </span>
          <span className="truncate text-xs text-muted">{shortName(gpu.name)}</span>
          <span className="ml-auto text-lg font-semibold" title={exactValue(shown.utilization, '1')}>
            <Heard>utilisation</Heard>
            {children.length > 0 && shown.utilization === null ? 'MIG' : formatValue(shown.utilization, '1')}
          </span>
        </span>
        <span className="relative mt-0.5 flex items-center gap-1.5">
          <span aria-hidden className="h-1.5 grow overflow-hidden rounded-full bg-hover">
            <span
              data-mark
              className={cx(
                'block h-full rounded-full',
                memory !== null && memory >= THRESHOLDS.memory.danger ? 'bg-danger' : 'bg-kind-retrieval',
              )}
              style={{ width: `${(memory ?? 0) * 100}%` }}
            />
          </span>
          <span className="text-xs text-muted">
            <Heard>memory</Heard>
            {formatValue(shown.memoryUsedBytes, 'By')}
          </span>
        </span>
        <span className="relative mt-0.5 flex justify-between text-xs text-muted">
          <span>
            <Heard>power</Heard>
            {power}
          </span>
          <span>
            <Heard>temperature</Heard>
            {degrees(shown.temperatureCelsius)}
          </span>
        </span>
        <span className="relative mt-auto flex gap-1 text-xs" title={owner?.commandLine ?? owner?.name}>
          {owner === null ? (
            <span className="text-faint">
              {gpu.last !== null ? (
                <AsOf iso={gpu.last.asOf} />
              ) : children.length > 0 ? (
                `${children.length} ${nounOf(children.length, 'partitions')}`
              ) : gpu.stale ? (
                ''
              ) : (
                'No process'
              )}
            </span>
          ) : (
            <>
              <MiddleTruncation name={owner.pod ?? owner.name} title="" />
              {gpu.processes > 1 && <span className="text-muted">+{gpu.processes - 1}</span>}
            </>
          )}
        </span>
        <span className="relative flex h-4 gap-2 overflow-hidden">
          <Marks list={attention} most={2} />
        </span>
      </Link>
      {children.map((child) => (
        <Partition key={child.id} {...props} gpu={child} name={names.get(child.id) ?? child.id} />
      ))}
    </div>
  );
}

function Partition(props: {
  gpu: Gpu;
  name: string;
  host: string;
  search: { in?: string };
  active: string | undefined;
  tileKey: (gpu: Gpu) => string;
}) {
  const { gpu } = props;
  const memory = shareOf(gpu.memoryUsedBytes, gpu.memoryLimitBytes);
  return (
    <Link
      to="/hosts/$host/gpus/$gpu"
      params={{ host: entityKey(props.host), gpu: entityKey(gpu.id) }}
      search={props.search}
      data-testid="gpu-partition"
      data-active={props.active === props.tileKey(gpu) || undefined}
      className="relative flex items-center gap-1.5 border-t border-line px-2 text-xs -outline-offset-2 hover:bg-hover data-active:bg-selected data-active:outline-2 data-active:outline-accent-fill"
      style={{ height: rem(TILE.partition) }}
    >
      <span
        aria-hidden
        data-mark
        className="absolute inset-y-0 left-0 bg-kind-retrieval/20"
        style={{ width: `${(memory ?? 0) * 100}%` }}
      />
      <span className="relative shrink-0 font-medium">
        <Heard>Partition</Heard>
        {props.name}
      </span>
      <span className="relative truncate text-muted">
        {gpu.topProcess === null
          ? gpu.stale
            ? ''
            : 'No process'
          : (gpu.topProcess.pod ?? gpu.topProcess.name)}
      </span>
      <span className="relative ml-auto flex shrink-0">
        <Marks list={attentionOfGpu(gpu)} most={1} />
      </span>
    </Link>
  );
}
