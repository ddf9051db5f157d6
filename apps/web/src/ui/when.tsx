import { formatTime } from '../lib/format.ts';
import { zonePreference } from '../lib/zone.ts';
import { DASH } from '../lib/format.ts';

/** A moment as people read it, exact on hover; a dash for none. */
export function When({ time, none = DASH }: { time: string | null; none?: string }) {
  const zone = zonePreference.use();
  if (time === null) return <span className="text-muted">{none}</span>;
  return (
    <time dateTime={time} title={time}>
      {formatTime(Date.parse(time), zone).slice(0, -7)}
    </time>
  );
}
