import { DASH, formatBound } from '../lib/format.ts';
import { zonePreference } from '../lib/zone.ts';

/** A moment as people read it, with the year where that is another, exact on hover; a dash for none. */
export function When({ time, none = DASH }: { time: string | null; none?: string }) {
  const zone = zonePreference.use();
  if (time === null) return <span className="text-muted">{none}</span>;
  return (
    <time dateTime={time} title={time}>
      {formatBound(Date.parse(time), Date.now(), zone).slice(0, -3)}
    </time>
  );
}
