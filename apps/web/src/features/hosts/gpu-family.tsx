import type { Gpu, GpuDetail } from '@candela/contract';
import { entityKey } from '@candela/kernel';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { MeterBar } from '../../charts/visualise/meter-bar.tsx';
import { formatValue } from '../../lib/format-value.ts';
import { AsOf } from './as-of.tsx';
import { shareOf, THRESHOLDS } from './attention.ts';
import { gpuNames } from './fleet.ts';

/** The GPU a partition is part of, or the partitions of a GPU. */
export function GpuFamily(props: { data: GpuDetail; host: string; search: { in?: string } }) {
  const { parent, children, gpu } = props.data;
  const siblings: readonly Gpu[] = children.length > 0 ? children : [];
  const names = gpuNames(siblings);
  return (
    <section className="rounded-md border border-line bg-surface p-2">
      <h2 className="font-medium">{parent === null ? 'Partitions' : 'Partition of'}</h2>
      <ul className="mt-1 flex flex-wrap gap-2">
        {[...(parent === null ? [] : [parent]), ...siblings].map((one) => (
          <li key={one.id}>
            <Link
              to="/hosts/$host/gpus/$gpu"
              params={{ host: entityKey(props.host), gpu: entityKey(one.id) }}
              search={props.search}
              className="flex w-64 flex-col gap-1 rounded-md border border-line px-2 py-1 text-sm hover:bg-hover"
            >
              <span className="flex gap-2">
                <span className="font-medium">
                  {one.id === parent?.id ? one.name : (names.get(one.id) ?? one.id)}
                </span>
                <span className="ml-auto truncate text-muted">{onIt(one, one.id === parent?.id)}</span>
              </span>
              <MemoryOf gpu={one} />
            </Link>
          </li>
        ))}
      </ul>
      {parent !== null && gpu.utilization === null && (
        <p className="mt-1 text-xs text-muted">
          Utilisation, power, clocks, temperature and links are measured of the whole GPU only.
        </p>
      )}
    </section>
  );
}

/** Who is on a GPU. Of one that is silent nobody knows whether anybody is, and of a partitioned one its partitions tell. */
function onIt(gpu: Gpu, isParent: boolean): ReactNode {
  if (gpu.topProcess !== null) return gpu.topProcess.pod ?? gpu.topProcess.name;
  if (gpu.last !== null) return <AsOf iso={gpu.last.asOf} />;
  return gpu.stale || isParent ? '' : 'No process';
}

/** How full it is; what it showed last where it is silent, and that where nothing is known of it. */
function MemoryOf({ gpu }: { gpu: Gpu }) {
  const { memoryUsedBytes, memoryLimitBytes } = gpu.last ?? gpu;
  if (gpu.stale && memoryUsedBytes === null) return <span className="text-muted">not reported</span>;
  return (
    <MeterBar
      label="Memory"
      value={shareOf(memoryUsedBytes, memoryLimitBytes)}
      text={`${formatValue(memoryUsedBytes, 'By')} of ${formatValue(memoryLimitBytes, 'By')}`}
      warnAt={THRESHOLDS.memory.warn}
      dangerAt={THRESHOLDS.memory.danger}
    />
  );
}
