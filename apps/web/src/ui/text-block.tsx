import { lazy, Suspense, useState } from 'react';
import { oneOf, preference } from '../lib/preference.ts';
import { JsonView, LongText, structuredJson } from './json-view.tsx';

const SafeMarkdown = lazy(() => import('./markdown.tsx'));
const MOST = 12_000;

/** Whether messages are shown as markdown or as they are. */
export const textMode = preference('text', 'markdown', oneOf('markdown', 'plain'));

/** One text of a message: JSON as a tree, else markdown or plain, never HTML. */
export function TextBlock({ text }: { text: string }) {
  const mode = textMode.use();
  const [whole, setWhole] = useState(false);
  const json = structuredJson(text);
  if (json !== undefined) return <JsonView value={json} />;
  const plain = (
    <div className="break-words whitespace-pre-wrap">
      <LongText text={text} most={MOST} />
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
        <button type="button" className="mt-1 text-sm text-accent" onClick={() => setWhole(true)}>
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
    <div className="font-mono text-sm break-words whitespace-pre-wrap">
      <LongText text={text} most={MOST} />
    </div>
  );
}
