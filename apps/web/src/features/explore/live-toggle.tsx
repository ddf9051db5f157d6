import { Radio } from 'lucide-react';
import { useHotkey } from '../../lib/hotkeys.ts';
import { cx } from '../../lib/cx.ts';
import { Button } from '../../ui/button.tsx';
import type { Live } from './live.ts';
import { LIVE_WORDS, NOT_POSSIBLE } from './live-words.ts';

/** Turns the live view on and off (`l`) and says how it stands; asked for where it is not possible, `LiveNews` says why. */
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
  useHotkey('l', props.onToggle, { label: 'Live on or off', group: props.page });
  return (
    <Button
      className="h-8"
      aria-pressed={on}
      aria-disabled={!possible}
      onClick={props.onToggle}
      title={possible ? 'Show new rows as they arrive (l)' : NOT_POSSIBLE}
    >
      <Radio
        size={14}
        aria-hidden
        className={cx(!on ? 'text-muted' : live.state === 'refused' ? 'text-danger' : 'text-accent')}
      />
      {on ? LIVE_WORDS[live.state] : 'Live'}
    </Button>
  );
}
