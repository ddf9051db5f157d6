import { lazy, Suspense } from 'react';
import { structuredJson } from '../../ui/json-view.tsx';
import { PayloadBlock } from '../../ui/text-block.tsx';

/** Words that a picture, sound or file comes with, in the type of a part, of its content or in its key. */
const MEDIA = /image|audio|video|file|document|media|uri|url|blob|inline_?data/i;
const ResultParts = lazy(() => import('./result-parts-view.tsx'));
const ReferredMedia = lazy(() => import('./referred-media.tsx'));
/** How a reference to media that was uploaded beside of the telemetry begins. */
const REFERENCE = '@@@langfuseMedia:';

/** What a tool gave back: pictures, sound and files as such, anything else as JSON or text. */
export function ResultBlock({ text, open = 1 }: { text: string; open?: number }) {
  const json = structuredJson(text);
  const payload = <PayloadBlock text={text} open={open} />;
  const plain = text.includes(REFERENCE) ? (
    <>
      {payload}
      <Suspense>
        <ReferredMedia text={text} />
      </Suspense>
    </>
  ) : (
    payload
  );
  if (json === undefined || !MEDIA.test(text)) return plain;
  return (
    <Suspense fallback={plain}>
      <ResultParts result={json} plain={plain} />
    </Suspense>
  );
}
