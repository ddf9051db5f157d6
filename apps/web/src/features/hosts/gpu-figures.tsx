import type { GpuDetail } from '@candela/contract';
import { MeterBar } from '../../charts/visualise/meter-bar.tsx';
import { Stat } from '../../charts/visualise/stat.tsx';
import { cx } from '../../lib/cx.ts';
import { formatValue } from '../../lib/format-value.ts';
import { errorName, shareOf, THRESHOLDS } from './attention.ts';
import { partLabel } from './curves.ts';

/** The newest figures in a row. */
export function GpuFigures({ data }: { data: GpuDetail }) {
  // Of a silent GPU what it showed last.
  const gpu = { ...data.gpu, ...data.gpu.last };
  const memory = shareOf(gpu.memoryUsedBytes, gpu.memoryLimitBytes);
  const errors = gpu.errors.reduce((sum, { count }) => sum + count, 0);
  const whole = data.parent === null;
  return (
    <div
      className={cx(
        'grid grid-cols-[repeat(auto-fill,minmax(8.5rem,1fr))]',
        data.gpu.last !== null && 'text-muted',
      )}
      data-testid="gpu-figures"
    >
      {(whole || gpu.utilization !== null) && (
        <Stat label="Utilisation" value={gpu.utilization} unit="1">
          <span className="text-xs text-muted">
            {data.utilizationByTask
              .filter(({ task, utilization }) => task !== 'general' && utilization > 0)
              .map(({ task, utilization }) => `${task} ${formatValue(utilization, '1')}`)
              .join(', ')}
          </span>
        </Stat>
      )}
      <Stat label="Memory" value={gpu.memoryUsedBytes} unit="By">
        <MeterBar
          label="Memory"
          value={memory}
          warnAt={THRESHOLDS.memory.warn}
          dangerAt={THRESHOLDS.memory.danger}
          text={`of ${formatValue(gpu.memoryLimitBytes, 'By')}`}
        />
      </Stat>
      {whole && <WholeFigures data={data} />}
      {data.clocks.map(({ domain, hertz }) => (
        <Stat key={domain} label={`Clock, ${partLabel(domain)}`} value={hertz} unit="Hz" />
      ))}
      <Stat label="Errors" value={errors}>
        <span className="text-xs text-muted">
          {gpu.errors.map(({ type, count }) => `${count} ${errorName(type)}`).join(', ')}
        </span>
      </Stat>
    </div>
  );
}

/** Figures that are measured of a whole GPU only, never of a partition. */
function WholeFigures({ data }: { data: GpuDetail }) {
  const gpu = { ...data.gpu, ...data.gpu.last };
  return (
    <>
      <Stat label="Memory controller" value={data.memoryControllerUtilization} unit="1" />
      <Stat label="Power" value={gpu.powerWatts} unit="W">
        <MeterBar
          label="Power"
          value={shareOf(gpu.powerWatts, gpu.powerLimitWatts)}
          text={`of ${formatValue(gpu.powerLimitWatts, 'W')}`}
        />
      </Stat>
      <Stat label="Energy used" value={data.energyJoules} unit="J" />
      <Stat label="Temperature" value={gpu.temperatureCelsius} unit="Cel">
        <span className="text-xs text-muted">
          {gpu.memoryTemperatureCelsius === null
            ? ''
            : `memory ${formatValue(gpu.memoryTemperatureCelsius, 'Cel')}`}
        </span>
      </Stat>
      {/* Those of machines with many GPUs have none. */}
      {data.fanSpeedRatio === null ? null : <Stat label="Fan" value={data.fanSpeedRatio} unit="1" />}
      {data.fanSpeedRatio !== null || data.fanSpeedRpm === null ? null : (
        <Stat label="Fan" value={data.fanSpeedRpm} unit="rpm" />
      )}
    </>
  );
}
