import type { GpuActivity } from '../device.ts';
import { present } from '../profiling/present.ts';
import { GPM, type Monitored } from './gpm.ts';

/** `gpu.measurement.source`. */
const SOURCE = 'nvml';

/** A percentage as a share; a little more than all is rounding, much more is no percentage. */
function share(percent: number | undefined): number | undefined {
  return percent === undefined || percent > 101 ? undefined : Math.min(1, percent / 100);
}

/** How busy the whole was. */
export const busyOf = (monitored: Monitored): number | undefined => share(monitored.of(GPM.graphics));

/** How busy its parts were; undefined when none is told. */
export function activityOf(monitored: Monitored): GpuActivity | undefined {
  const told = (id: number): number | undefined => share(monitored.of(id));
  const pipes = present({
    tensor: told(GPM.tensor),
    fp64: told(GPM.fp64),
    fp32: told(GPM.fp32),
    fp16: told(GPM.fp16),
  });
  const activity = present({
    graphicsEngine: told(GPM.graphics),
    sm: told(GPM.sm),
    occupancy: told(GPM.occupancy),
    memoryBandwidth: told(GPM.memory),
  });
  const empty = Object.keys(activity).length + Object.keys(pipes).length === 0;
  return empty
    ? undefined
    : { source: SOURCE, ...activity, pipes: pipes as Readonly<Record<string, number>> };
}
