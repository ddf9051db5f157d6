import type { HostCurves } from '@candela/contract';
import { useState } from 'react';
import { formatTick, nounOf } from '../../lib/format.ts';
import { formatValue } from '../../lib/format-value.ts';
import { zonePreference } from '../../lib/zone.ts';
import { GUTTER } from './curve-card.tsx';

const STRIP = 120;

/** Every core a line, every bucket a shade: which cores work, and which one works alone. */
export function CpuStrip({ data }: { data: HostCurves }) {
  const zone = zonePreference.use();
  const [at, setAt] = useState<{ core: number; step: number }>();
  const cores = data.charts.find(({ chart }) => chart === 'cpu_cores')?.series ?? [];
  const { times } = data;
  const tall = Math.max(2, Math.min(12, Math.floor(STRIP / Math.max(1, cores.length))));
  const pointed = at && cores[at.core];
  const when = at === undefined ? undefined : times[at.step];
  const spanMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
  return (
    <figure>
      <ul
        className="sr-only"
        aria-label={`Busy share of ${cores.length} ${nounOf(cores.length, 'cores')} over time`}
      >
        {cores.map(({ device, values }) => (
          <li key={device}>
            Core {device}: {coreWords(values, (step) => formatTick(times[step] ?? 0, spanMs, zone))}
          </li>
        ))}
      </ul>
      <div
        aria-hidden
        data-testid="cpu-strip"
        className="flex flex-col overflow-hidden rounded bg-sunken"
        style={{ marginLeft: GUTTER }}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          const within = (value: number, count: number) =>
            Math.min(count - 1, Math.max(0, Math.floor(value * count)));
          setAt({
            core: within((event.clientY - box.top) / box.height, cores.length),
            step: within((event.clientX - box.left) / box.width, times.length),
          });
        }}
        onPointerLeave={() => setAt(undefined)}
      >
        {cores.map(({ device, values }) => (
          <div key={device} data-mark style={{ height: tall, background: shades(values) }} />
        ))}
      </div>
      <figcaption className="flex h-5 items-center gap-2 text-xs text-muted">
        {pointed && at && when !== undefined ? (
          <span>
            Core {pointed.device} at {formatTick(when, spanMs, zone)}:{' '}
            {formatValue(pointed.values[at.step] ?? null, '1')}
          </span>
        ) : (
          <>
            <span>{cores.length === 1 ? '1 core' : `${cores.length} cores, the first on top`}</span>
            <span className="ml-auto flex items-center gap-1" aria-hidden>
              idle
              <span
                data-mark
                className="h-2 w-16 rounded-full"
                style={{ background: 'linear-gradient(to right, transparent, var(--accent-fill))' }}
              />
              busy
            </span>
          </>
        )}
      </figcaption>
    </figure>
  );
}

/** What the shades of a line show. */
export function coreWords(values: readonly (number | null)[], timeOf: (step: number) => string): string {
  const known = values.flatMap((value, step) => (value === null ? [] : [{ value, step }]));
  const [first] = known;
  if (first === undefined) return 'nothing measured';
  const most = known.reduce((top, one) => (one.value > top.value ? one : top), first);
  const mean = known.reduce((sum, { value }) => sum + value, 0) / known.length;
  const share = (value: number) => formatValue(value, '1');
  return `now ${share(known.at(-1)?.value ?? 0)}, on average ${share(mean)}, at most ${share(most.value)} at ${timeOf(most.step)}`;
}

/** One line as hard steps of a gradient: a hundred cores are a hundred elements, not ten thousand. */
function shades(values: readonly (number | null)[]): string {
  const width = 100 / Math.max(1, values.length);
  const stops = values.map((value, index) => {
    const share = value === null ? 0 : Math.round(Math.min(1, Math.max(0, value)) * 100);
    const shade =
      share === 0 ? 'transparent' : `color-mix(in srgb, var(--accent-fill) ${share}%, transparent)`;
    return `${shade} ${(index * width).toFixed(3)}% ${((index + 1) * width).toFixed(3)}%`;
  });
  return `linear-gradient(to right, ${stops.join(', ')})`;
}
