import { ArrowUp } from 'lucide-react';
import { useEffect, useState } from 'react';
import { exact, nounOf } from '../../lib/format.ts';
import { useThrottled } from '../../lib/throttle.ts';
import { transferFocus } from '../../lib/transfer-focus.ts';
import type { Live } from './live.ts';
import { LIVE_WORDS, NOT_POSSIBLE } from './live-words.ts';

/** What arrives is told to those who hear it no more often than that. */
const TELL_MS = 15_000;

/**
 * Above the rows: how many wait while the list is held, how many could not be shown, why there is no live view. To those
 * who hear it how the view stands, too.
 */
export default function LiveNews(props: {
  live: Live<unknown>;
  noun: string;
  /** Live was asked for where it is not possible. */
  impossible: boolean;
  onRelease: () => void;
}) {
  const { live, noun } = props;
  const trouble = props.impossible
    ? NOT_POSSIBLE
    : (live.error?.message ??
      (live.state === 'refused' ? 'Live could not be loaded. Turn it off and on to try again.' : undefined));
  return (
    <>
      <p role="status" className="sr-only">
        {trouble ?? (live.state === 'off' ? '' : LIVE_WORDS[live.state])}
      </p>
      {/* Apart from how it stands, so that what was told is not told again when that changes. */}
      <p role="status" data-testid="live-news" className="sr-only">
        <Told text={live.arrived > 0 ? arrivals(live, noun) : ''} />
      </p>
      {(live.held > 0 || live.skipped > 0 || trouble !== undefined) && (
        <div className="flex min-h-7 shrink-0 flex-wrap items-center justify-center gap-x-3 border-b border-line bg-selected px-3 text-sm">
          {trouble !== undefined && <span>{trouble}</span>}
          {live.held > 0 && (
            <button
              type="button"
              className="flex items-center gap-1 font-medium hover:underline"
              onClick={(event) => {
                transferFocus(event.currentTarget, () =>
                  document.querySelector<HTMLElement>('main [role=grid]'),
                );
                live.release();
                props.onRelease();
              }}
            >
              <ArrowUp size={13} aria-hidden />
              {exact(live.held)} new {nounOf(live.held, noun)}
            </button>
          )}
          {live.skipped > 0 && (
            <span className="text-muted">
              {exact(live.skipped)} more arrived than are shown here; the list has them
            </span>
          )}
        </div>
      )}
    </>
  );
}

/** All that arrived, so that no two tellings are alike: one like the one before would not be heard. */
function arrivals(live: Live<unknown>, noun: string): string {
  const waiting = live.held === 0 ? '' : `, ${exact(live.held)} of them not shown yet`;
  return `${exact(live.arrived)} new ${nounOf(live.arrived, noun)} since Live began${waiting}`;
}

/** A text that changes all the time, as it was last told. */
function Told({ text }: { text: string }) {
  const [told, setTold] = useState('');
  const tell = useThrottled(() => setTold(text), TELL_MS);
  useEffect(() => {
    if (text !== told) tell();
  }, [text, told, tell]);
  return told;
}
