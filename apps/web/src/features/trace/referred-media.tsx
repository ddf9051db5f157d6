import { storedMediaOf } from '@candela/semconv/stored-media';
import MediaView from './media-view.tsx';

/** Uploaded media that the text of a tool refers to. */
export default function ReferredMedia({ text }: { text: string }) {
  return (
    <div className="mt-2 flex flex-col gap-2">
      {storedMediaOf(text).map((part) => (
        <MediaView key={part.uri} part={part} />
      ))}
    </div>
  );
}
