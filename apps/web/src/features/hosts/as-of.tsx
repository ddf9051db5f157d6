import { formatIso, formatRowTime } from '../../lib/format.ts';
import { zonePreference } from '../../lib/zone.ts';

/** Says when the last figures of what fell silent were true. */
export function AsOf({ iso }: { iso: string }) {
  const zone = zonePreference.use();
  const ms = Date.parse(iso);
  return (
    <time dateTime={iso} title={formatIso(ms)}>
      as of {formatRowTime(ms, Date.now(), zone)}
    </time>
  );
}
