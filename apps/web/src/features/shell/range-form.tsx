import { parseTime } from '@candela/kernel';
import { useState } from 'react';
import type { Zone } from '../../lib/format.ts';
import { resolveRange, type TimeRange } from '../../lib/time-range.ts';
import { readTypedRange } from '../../lib/typed-range.ts';
import { zonePreference } from '../../lib/zone.ts';
import { Button } from '../../ui/button.tsx';
import { useShell } from './shell-search.ts';

/** The two ends of a range as they are typed. */
export default function RangeForm({ onChoose }: { onChoose: (range: TimeRange) => void }) {
  const { range, chosen } = useShell();
  const zone = zonePreference.use();
  const [openedMs] = useState(() => Date.now());
  // What somebody typed stays as it was typed, also when another zone is chosen; the rest is written in that zone.
  const [edited, setEdited] = useState<Partial<TimeRange>>({});
  const window = resolveRange(range, openedMs);
  const fields: TimeRange = {
    from: /^(now)?-/.test(chosen.from) ? chosen.from : typed(window.fromMs, zone === 'utc'),
    to: range.to === 'now' ? 'now' : typed(window.toMs, zone === 'utc'),
    ...edited,
  };
  const now = Date.now();
  const read = readTypedRange(fields, now, zone);
  const trouble = troubleOf(read, now);
  const input = (end: 'from' | 'to', label: string) => (
    <label className="flex flex-col gap-1">
      <span className="text-sm text-muted">{label}</span>
      <input
        value={fields[end]}
        onChange={(event) => setEdited({ ...edited, [end]: event.target.value })}
        aria-invalid={read[end] === undefined}
        spellCheck={false}
        className="h-7 rounded-md border border-line bg-bg px-2 font-mono text-sm aria-invalid:border-danger"
      />
    </label>
  );
  return (
    <form
      className="flex h-full flex-col gap-3 p-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (trouble === undefined && read.from !== undefined && read.to !== undefined)
          onChoose({ from: read.from, to: read.to });
      }}
    >
      {input('from', 'From')}
      {input('to', 'To')}
      <p className="text-sm text-muted">
        {[dayText(now, zone), 'yesterday 14:00', '15:30', '-90m'].map((example) => (
          <span key={example}>
            <code className="font-mono">{example}</code>,{' '}
          </span>
        ))}
        <code className="font-mono">now</code>
      </p>
      <p role="status" className="min-h-4 text-sm text-danger">
        {trouble}
      </p>
      <div className="mt-auto flex items-center justify-between">
        <fieldset className="flex gap-3 text-sm">
          <legend className="sr-only">Time zone</legend>
          {(['local', 'utc'] as const).map((choice) => (
            <label key={choice} className="flex cursor-pointer items-center gap-1">
              <input
                type="radio"
                name="zone"
                checked={zone === choice}
                onChange={() => zonePreference.set(choice)}
                className="accent-accent-fill"
              />
              {choice === 'utc' ? 'UTC' : 'Local'}
            </label>
          ))}
        </fieldset>
        <Button look="primary" type="submit" disabled={trouble !== undefined}>
          Apply
        </Button>
      </div>
    </form>
  );
}

/** Why the two ends are no range, in words. */
function troubleOf(read: ReturnType<typeof readTypedRange>, now: number): string | undefined {
  if (read.from === undefined) return 'From is not a time.';
  if (read.to === undefined) return 'To is not a time.';
  const inOrder = (parseTime(read.from, now) ?? 0) < (parseTime(read.to, now) ?? 0);
  return inOrder ? undefined : 'From has to be before To.';
}

/** An example of a day and time that is near. */
const dayText = (now: number, zone: Zone): string => `${typed(now, zone === 'utc').slice(0, 10)} 10:30`;

/** `2026-11-20 10:32:05` in the zone asked for. */
function typed(ms: number, utc: boolean): string {
  const shifted = utc ? ms : ms - new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(shifted).toISOString().slice(0, 19).replace('T', ' ');
}
