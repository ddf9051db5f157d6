import { parseTime } from '@candela/kernel';
import { Clock } from 'lucide-react';
import { useState } from 'react';
import { cx } from '../../lib/cx.ts';
import { formatBounds, type Zone } from '../../lib/format.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import {
  CALENDAR,
  fixedLink,
  labelOf,
  PRESETS,
  readTypedRange,
  resolveRange,
  type TimeRange,
} from '../../lib/time-range.ts';
import { zonePreference } from '../../lib/zone.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ChoiceMenu } from '../../ui/menu.tsx';
import { Popover } from '../../ui/popover.tsx';
import { useShell } from './shell-search.ts';

/** The one time range of the product: relative or absolute, in local time or UTC. `d` opens it. */
export function TimeRangePicker() {
  const [open, setOpen] = useState(false);
  const { chosen, window: shown, compare, rangeUse, setRange, setCompare } = useShell();
  const canCompare = rangeUse !== 'shown';
  const zone = zonePreference.use();
  useHotkey('d', () => setOpen(true), { label: 'Change the time range', group: 'Everywhere' });
  const choose = (next: TimeRange) => {
    setOpen(false);
    setRange(next);
  };
  const label = labelOf(chosen, (fromMs, toMs) => formatBounds(fromMs, toMs, Date.now(), zone));
  const isChosen = (from: string) => chosen.to === 'now' && chosen.from === from;
  const list = (name: string, ranges: readonly { from: string; label: string }[]) => (
    <ul className="p-1" aria-label={name}>
      {ranges.map((preset) => (
        <li key={preset.from}>
          <button
            type="button"
            onClick={() => choose({ from: preset.from, to: 'now' })}
            aria-current={isChosen(preset.from)}
            className={cx(
              'h-7 w-full rounded px-2 text-left hover:bg-hover',
              isChosen(preset.from) && 'bg-selected font-medium',
            )}
          >
            {preset.label}
          </button>
        </li>
      ))}
    </ul>
  );
  return (
    <Popover
      label="Time range"
      open={open}
      onOpenChange={setOpen}
      className="w-[580px] max-w-[92vw]"
      trigger={
        <Button title={`Time range (d): ${label}`} data-testid="time-range" className="min-w-0 shrink!">
          <Clock size={14} className="shrink-0 text-muted" aria-hidden />
          <span className="truncate">{label}</span>
          {canCompare && compare && <span className="text-muted max-md:sr-only">compared</span>}
          {zone === 'utc' && <span className="text-muted">UTC</span>}
        </Button>
      }
    >
      <div className="flex max-sm:flex-col">
        <div className="grid w-72 shrink-0 grid-cols-2 border-r border-line max-sm:w-full">
          {list('Relative ranges', PRESETS)}
          {list('Ranges of the calendar', CALENDAR)}
        </div>
        <AbsoluteForm key={`${chosen.from} ${chosen.to} ${zone}`} onChoose={choose} />
      </div>
      <div className="flex flex-wrap items-center justify-between gap-x-3 border-t border-line px-3 py-1.5">
        {canCompare && <CompareToggle compare={compare} onChange={setCompare} />}
        <CopyButton
          label="Copy link to these times"
          text={() => fixedLink(location.href, shown)}
          className="ml-auto h-6"
        >
          Copy link to these times
        </CopyButton>
      </div>
    </Popover>
  );
}

/** In its place on pages that show one thing whole, whenever it was: how their times are written. */
export function ZoneMenu() {
  const zone = zonePreference.use();
  return (
    <ChoiceMenu
      label="Time zone"
      value={zone}
      align="end"
      choices={[
        { value: 'local', label: 'Local', hint: Intl.DateTimeFormat().resolvedOptions().timeZone },
        { value: 'utc', label: 'UTC' },
      ]}
      onChoose={(value) => zonePreference.set(value === 'utc' ? 'utc' : 'local')}
      trigger={
        <Button title="Time zone" aria-label={`Time zone: ${zone === 'utc' ? 'UTC' : 'local'}`}>
          <Clock size={14} className="text-muted" aria-hidden />
          {zone === 'utc' ? 'UTC' : 'Local'}
        </Button>
      }
    />
  );
}

/** The tick is there at once; the address and the pages follow. */
function CompareToggle(props: { compare: boolean; onChange: (compare: boolean) => void }) {
  const [ticked, setTicked] = useState(props.compare);
  const [given, setGiven] = useState(props.compare);
  if (given !== props.compare) {
    setGiven(props.compare);
    setTicked(props.compare);
  }
  return (
    <label className="flex cursor-pointer items-center gap-2 py-0.5">
      <input
        type="checkbox"
        checked={ticked}
        onChange={(event) => {
          setTicked(event.target.checked);
          props.onChange(event.target.checked);
        }}
        className="accent-accent-fill"
      />
      Compare with the period before
    </label>
  );
}

function AbsoluteForm({ onChoose }: { onChoose: (range: TimeRange) => void }) {
  const { range, chosen } = useShell();
  const zone = zonePreference.use();
  const [fields, setFields] = useState(() => {
    const window = resolveRange(range, Date.now());
    return {
      from: /^(now)?-/.test(chosen.from) ? chosen.from : typed(window.fromMs, zone === 'utc'),
      to: range.to === 'now' ? 'now' : typed(window.toMs, zone === 'utc'),
    };
  });
  const now = Date.now();
  const read = readTypedRange(fields, now, zone);
  const trouble = troubleOf(read, now);
  const input = (end: 'from' | 'to', label: string) => (
    <label className="flex flex-col gap-1">
      <span className="text-sm text-muted">{label}</span>
      <input
        value={fields[end]}
        onChange={(event) => setFields({ ...fields, [end]: event.target.value })}
        aria-invalid={read[end] === undefined}
        spellCheck={false}
        className="h-7 rounded-md border border-line bg-bg px-2 font-mono text-sm aria-invalid:border-danger"
      />
    </label>
  );
  return (
    <form
      className="flex grow flex-col gap-3 p-3"
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
