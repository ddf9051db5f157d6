import { lazy, Suspense, useState } from 'react';
import { transferFocus } from '../lib/transfer-focus.ts';
import { oneOf, preference } from '../lib/preference.ts';
import { Fold, useSoughtAt } from './fold.tsx';
import { JsonView, LongText, structuredJson } from './json-view.tsx';

const SafeMarkdown = lazy(() => import('./markdown.tsx'));
const MOST = 12_000;

/** Whether messages are shown as markdown or as they are. */
export const textMode = preference('text', 'markdown', oneOf('markdown', 'plain'));

/** One text of a message: JSON as a tree, else markdown or plain, never HTML. A long one is folded, unless `unfolded`. */
export function TextBlock({ text, unfolded = false }: { text: string; unfolded?: boolean }) {
  const json = structuredJson(text);
  if (json !== undefined) return <JsonView value={json} />;
  return unfolded ? (
    <Words text={text} />
  ) : (
    <Fold text={text}>
      <Words text={text} />
    </Fold>
  );
}

function Words({ text }: { text: string }) {
  const mode = textMode.use();
  const [asked, setWhole] = useState(false);
  // What is sought may stand in the end that is held back.
  const sought = useSoughtAt(text) >= MOST;
  const whole = asked || sought;
  const plain = (
    <div className="break-words whitespace-pre-wrap">
      <LongText text={text} most={sought ? text.length : MOST} />
    </div>
  );
  if (mode === 'plain' || !/[*_`#>|\-[\]~:]|\n\n|\d\./.test(text)) return plain;
  const cut = whole || text.length <= MOST * 1.2 ? text : text.slice(0, MOST);
  return (
    <>
      <Suspense fallback={plain}>
        <SafeMarkdown text={cut} />
      </Suspense>
      {cut !== text && (
        <button
          type="button"
          className="mt-1 text-sm text-accent"
          onClick={(event) => {
            transferFocus(event.currentTarget);
            setWhole(true);
          }}
        >
          show all {text.length.toLocaleString('en-US')} characters
        </button>
      )}
    </>
  );
}

/** Arguments or a result: a tree when it is JSON, else mono text. */
export function PayloadBlock({ text, open = 2 }: { text: string; open?: number }) {
  const json = structuredJson(text);
  if (json !== undefined) return <JsonView value={json} open={open} />;
  return (
    <Fold text={text}>
      <PlainPayload text={text} />
    </Fold>
  );
}

function PlainPayload({ text }: { text: string }) {
  const sought = useSoughtAt(text) >= MOST;
  return (
    <div className="font-mono text-sm break-words whitespace-pre-wrap">
      <LongText text={text} most={sought ? text.length : MOST} />
    </div>
  );
}
