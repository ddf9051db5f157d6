import { createContext, type ReactNode, use, useRef, useState } from 'react';
import { cx } from '../lib/cx.ts';

/** Longer texts stand folded at first: as much of them is seen as tells what they are. */
const MOST_CHARACTERS = 3_000;
const MOST_LINES = 40;

/** What is sought on the page, in small letters: a text that holds one of these stands open. */
export const Sought = createContext<readonly string[]>([]);

/** Whether a text is more than is read at a glance. */
function isLong(text: string): boolean {
  if (text.length > MOST_CHARACTERS) return true;
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1 && lines <= MOST_LINES; at = text.indexOf('\n', at + 1))
    lines += 1;
  return lines > MOST_LINES;
}

/** Where a text begins that is sought; -1 when nothing of it is. */
export function useSoughtAt(text: string): number {
  const terms = use(Sought);
  if (terms.length === 0) return -1;
  const small = text.toLowerCase();
  return Math.max(...terms.map((term) => small.lastIndexOf(term)));
}

/** The beginning of a long text, and a button for all of it. Whatever leads inside opens it. */
export function Fold({ text, children }: { text: string; children: ReactNode }) {
  const found = useSoughtAt(text) >= 0;
  const [chosen, setChosen] = useState<boolean>();
  const [wasFound, setWasFound] = useState(found);
  const box = useRef<HTMLDivElement>(null);
  if (wasFound !== found) {
    // Sought anew: what was folded by hand before does not hide it.
    setWasFound(found);
    if (found) setChosen(undefined);
  }
  if (!isLong(text)) return children;
  const isOpen = chosen ?? found;
  const unfold = () => setChosen(true);
  return (
    <div ref={box}>
      <div
        className={cx(!isOpen && 'max-h-70 overflow-hidden')}
        // A link inside that the tab key reaches, a place that the browser's own search scrolls to.
        onFocus={isOpen ? undefined : unfold}
        onScroll={isOpen ? undefined : unfold}
      >
        {children}
      </div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => {
          setChosen(!isOpen);
          // Folded from its end, its beginning would be out of sight.
          if (isOpen) box.current?.scrollIntoView({ block: 'nearest' });
        }}
        className="mt-1 font-sans text-sm text-accent"
      >
        {isOpen ? 'show less' : `show all ${text.length.toLocaleString('en-US')} characters`}
      </button>
    </div>
  );
}
