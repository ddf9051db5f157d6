import type { MessagePart } from '@candela/semconv';
import { resultParts } from '@candela/semconv/result-parts';
import type { ReactNode } from 'react';
import { PayloadBlock, TextBlock } from '../../ui/text-block.tsx';
import MediaView from './media-view.tsx';

/** The parts of a result that holds pictures, sound or files; `plain` for any other. */
export default function ResultParts({ result, plain }: { result: object; plain: ReactNode }) {
  const parts = resultParts(result);
  if (parts === undefined) return plain;
  return (
    <div className="flex flex-col gap-2">
      {parts.map((part, index) => (
        <ResultPart key={index} part={part} />
      ))}
    </div>
  );
}

function ResultPart({ part }: { part: MessagePart }) {
  if (part.type === 'media') return <MediaView part={part} />;
  if (part.type === 'text') return <TextBlock text={part.text} />;
  return <PayloadBlock text={part.type === 'json' ? part.json : JSON.stringify(part)} open={1} />;
}
