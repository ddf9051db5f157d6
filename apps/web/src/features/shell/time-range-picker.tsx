import { Clock } from 'lucide-react';
import { lazy, useState } from 'react';
import { cx } from '../../lib/cx.ts';
import { formatBounds } from '../../lib/format.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { CALENDAR, fixedLink, labelOf, PRESETS, type TimeRange } from '../../lib/time-range.ts';
import { zonePreference } from '../../lib/zone.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Late } from '../../ui/late.tsx';
import { ChoiceMenu } from '../../ui/menu.tsx';
import { Popover } from '../../ui/popover.tsx';
import { useShell } from './shell-search.ts';

// Most ranges are a preset or a brush: what reads a typed one comes with the picker.
const RangeForm = lazy(() => import('./range-form.tsx'));

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
        <div className="min-h-56 grow">
          <Late>
            <RangeForm key={`${chosen.from} ${chosen.to}`} onChoose={choose} />
          </Late>
        </div>
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
