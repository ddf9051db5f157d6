import { Flame, HardDrive, Layers, Radio, TriangleAlert, Unplug, Wrench } from 'lucide-react';
import { cx } from '../../lib/cx.ts';
import { formatTick, formatTime, type Zone } from '../../lib/format.ts';
import { zonePreference } from '../../lib/zone.ts';
import type { Attention } from './attention.ts';

const ICONS = {
  silent: Radio,
  errors: TriangleAlert,
  hot: Flame,
  status: Wrench,
  full: HardDrive,
  several: Layers,
  away: Unplug,
} as const;

const DAY_MS = 86_400_000;
const clockOf = (iso: string, zone: Zone): string => formatTick(Date.parse(iso), DAY_MS, zone);
const secondOf = (iso: string, zone: Zone): string => formatTime(Date.parse(iso), zone).slice(0, -4);
const allTimes = (when: NonNullable<Attention['when']>, zone: Zone): string =>
  when.map(({ from, to }) => `${secondOf(from, zone)} to ${secondOf(to, zone)}`).join(', ');

/** What is wrong, as a shape and in words; the colour only repeats how bad. */
export function Marks({ list, most = 3 }: { list: readonly Attention[]; most?: number }) {
  const zone = zonePreference.use();
  return list.slice(0, most).map((one) => {
    const Icon = ICONS[one.what];
    // Several times have no one time at which it was.
    const [first] = one.when?.length === 1 ? one.when : [];
    return (
      <span
        key={`${one.what} ${one.text}`}
        title={one.when === undefined ? one.text : `${one.text}: ${allTimes(one.when, zone)}`}
        className={cx(
          'flex min-w-0 items-center gap-1 text-xs',
          one.level === 'danger' ? 'text-danger' : 'text-warn',
        )}
      >
        <Icon size={11} aria-hidden className="shrink-0" />
        <span className="truncate">
          {one.text}
          {first !== undefined && ` from ${clockOf(first.from, zone)}`}
        </span>
      </span>
    );
  });
}
