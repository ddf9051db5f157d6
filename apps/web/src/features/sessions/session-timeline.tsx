import type { SessionTrace, Turn } from '@candela/contract';
import { useQueries } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useEffectEvent, useLayoutEffect, useMemo, useRef } from 'react';
import { TURNS_A_PAGE, turnsQuery } from '../../api/activity.ts';
import { useHeld } from '../../lib/use-held.ts';
import { useHighlight } from '../trace/use-highlight.ts';
import type { TurnPlace } from './session-search.ts';
import { TurnView } from './turn-view.tsx';

const ESTIMATE = 240;
/** Room above what is brought to the top, and below what is brought to the bottom. */
const ROOM_PX = 12;

/** The conversation over all its traces, as one list: only what is in sight is drawn, and fetched. */
export function SessionTimeline(props: {
  sessionKey: string;
  /** What the session is shown since; undefined: all of it. */
  since: string | undefined;
  turns: readonly SessionTrace[];
  /** Index of the chosen turn; it is brought into sight when it changes from elsewhere. */
  at: number;
  /** Where in that turn. */
  place: TurnPlace | undefined;
  /** Grows whenever a turn is asked for, also the same again; 0 when the page opens. */
  asked: number;
  /** What is sought in the messages, marked wherever it stands. */
  terms: readonly string[];
  /** Which of the messages found is shown; -1: none. */
  hit: number;
  onChoose: (index: number) => void;
}) {
  const { sessionKey, since, turns, at, place, asked } = props;
  const scroller = useRef<HTMLDivElement>(null);
  useHighlight(
    scroller,
    props.terms,
    props.hit === -1 ? undefined : { within: `[data-index="${at}"]`, of: String(props.hit) },
  );
  const virtual = useVirtualizer({
    count: turns.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ESTIMATE,
    overscan: 3,
    getItemKey: (index) => turns[index]?.traceId ?? index,
  });
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  const pages = useMemo(() => {
    const wanted: number[] = [];
    for (let page = Math.floor(first / TURNS_A_PAGE); page <= Math.floor(last / TURNS_A_PAGE); page++)
      if (turns[page * TURNS_A_PAGE]) wanted.push(page);
    return wanted;
  }, [first, last, turns]);
  const answers = useQueries({
    queries: pages.map((page) => turnsQuery(sessionKey, turns[page * TURNS_A_PAGE]?.traceId ?? '', since)),
  });
  const said = new Map<string, Turn>(
    answers.flatMap((answer) => (answer.data ?? []).map((turn) => [turn.traceId, turn] as const)),
  );
  const failed = new Set(pages.filter((_, index) => answers[index]?.isError));
  const retry = () => {
    for (const answer of answers) if (answer.isError) void answer.refetch();
  };
  /** The turn that was chosen by a click where it stands: it need not move. */
  const chosen = useRef(-1);
  /** The turn that was brought into sight. */
  const { held, released } = useHeld<number>();
  const stay = useEffectEvent(() => {
    const [box, index] = [scroller.current, held.current];
    if (box === null || index === undefined) return;
    const by = said.has(turns[index]?.traceId ?? '') ? wayTo(box, index, place) : undefined;
    if (by === undefined) virtual.scrollToIndex(index, { align: 'start' });
    else virtual.scrollToOffset(box.scrollTop + by);
  });
  const reveal = useEffectEvent(() => {
    const stands = chosen.current === at;
    chosen.current = -1;
    if (stands || (asked === 0 && at === 0 && place === undefined)) return;
    held.current = at;
    stay();
  });
  useEffect(() => reveal(), [at, place, asked]);
  const total = virtual.getTotalSize();
  // What is said comes later than its turn and is higher than what stood for it: the turn must not be pushed away.
  useLayoutEffect(() => stay(), [total, said.size, first, last]);
  return (
    <div
      ref={scroller}
      {...released}
      className="h-full overflow-auto"
      data-testid="conversation"
      data-scrolls
      tabIndex={0}
      aria-label="Conversation"
      role="region"
    >
      {failed.size > 0 && (
        <p role="alert" className="sr-only">
          A part of the conversation could not be loaded.
        </p>
      )}
      <div className="relative mx-auto max-w-4xl" style={{ height: total }}>
        <div
          className="absolute inset-x-0 top-0 px-3 pt-2"
          style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}
        >
          {items.map((item) => {
            const turn = turns[item.index] as SessionTrace;
            return (
              <div key={item.key} data-index={item.index} ref={virtual.measureElement}>
                <TurnView
                  index={item.index}
                  turn={turn}
                  said={said.get(turn.traceId)}
                  failed={failed.has(Math.floor(item.index / TURNS_A_PAGE))}
                  isFirstWithoutModel={turn.models.length === 0 && turns[item.index - 1]?.models.length !== 0}
                  selected={item.index === at}
                  onSelect={() => {
                    chosen.current = item.index;
                    props.onChoose(item.index);
                  }}
                  onRetry={retry}
                />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** How far to scroll to that place of a turn; undefined for its beginning, and while it is not drawn. */
function wayTo(box: Element, index: number, place: TurnPlace | undefined): number | undefined {
  const row = place && box.querySelector(`[data-index="${index}"]`);
  if (!row) return undefined;
  const edge = box.getBoundingClientRect();
  if (place === 'end') return row.getBoundingClientRect().bottom - edge.bottom + ROOM_PX;
  const failure = row.querySelector('[data-failed]');
  return failure ? failure.getBoundingClientRect().top - edge.top - ROOM_PX : undefined;
}
