import { ArrowUp, Radio } from 'lucide-react';
import { useHotkey } from '../../lib/hotkeys.ts';
import { exact, nounOf } from '../../lib/format.ts';
import { leadOn } from '../../lib/lead-on.ts';
import { cx } from '../../lib/cx.ts';
import { Button } from '../../ui/button.tsx';
import type { Live, LiveState } from './live.ts';

const SAID: Record<LiveState, string> = {
  off: 'Live',
  connecting: 'Connecting …',
  live: 'Live',
  again: 'Reconnecting …',
  refused: 'Refused',
};

/** Turns the live view on and off (`l`) and says how it stands. */
export function LiveToggle(props: {
  /** Name of the page, for the sheet of keys. */
  page: string;
  on: boolean;
  /** Whether it can be live: relative time range, newest first. */
  possible: boolean;
  live: Live<unknown>;
  onToggle: () => void;
}) {
  const { on, possible, live } = props;
  useHotkey('l', props.onToggle, { label: 'Live on or off', group: props.page, enabled: possible });
  const title = !possible
    ? 'Live needs a time range that ends now, and the newest first'
    : live.error
      ? live.error.message
      : 'Show new rows as they arrive (l)';
  return (
    <Button className="h-8" aria-pressed={on} disabled={!possible} onClick={props.onToggle} title={title}>
      <Radio
        size={14}
        aria-hidden
        className={cx(!on ? 'text-muted' : live.state === 'refused' ? 'text-danger' : 'text-accent')}
      />
      <span aria-live="polite">{on ? SAID[live.state] : 'Live'}</span>
    </Button>
  );
}

/** Above the rows: how many wait while the list is held, and how many could not be shown. */
export function LiveNews(props: { live: Live<unknown>; noun: string; onRelease: () => void }) {
  const { live, noun } = props;
  if (live.held === 0 && live.skipped === 0) return null;
  return (
    <div className="flex h-7 shrink-0 items-center justify-center gap-3 border-b border-line bg-selected text-sm">
      {live.held > 0 && (
        <button
          type="button"
          className="flex items-center gap-1 font-medium hover:underline"
          onClick={(event) => {
            leadOn(event.currentTarget, () => document.querySelector<HTMLElement>('main [role=grid]'));
            live.release();
            props.onRelease();
          }}
        >
          <ArrowUp size={13} aria-hidden />
          {exact(live.held)} new {nounOf(live.held, noun)}
        </button>
      )}
      {live.skipped > 0 && (
        <span className="text-muted">{exact(live.skipped)} came too fast to be shown; the list has them</span>
      )}
    </div>
  );
}
