import type { MessagePart } from '@candela/semconv';
import { storedMediaId } from '@candela/semconv/stored-media';
import { Download, ExternalLink, FileText, Film, Image, Volume2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { formatCount } from '../../lib/format.ts';

const StoredMedia = lazy(() => import('./stored-media.tsx'));

const SHOWN_IMAGE = /^data:image\/(png|jpeg|gif|webp|avif);base64,/i;
const EMBEDDED = /^data:([a-z0-9.+-]+\/[a-z0-9.+-]+)?[;,]/i;
/** A picture larger than this (about 3 MB) is decoded only when somebody asks for it. */
const MOST_CHARACTERS = 4_000_000;
const ICONS = { image: Image, audio: Volume2, video: Film } as const;

/**
 * Pictures, sound, files. What is embedded or was uploaded is shown or can be saved; what has another address stays a link that a person
 * follows or not: reading a trace calls nobody.
 */
export default function MediaView({ part }: { part: Extract<MessagePart, { type: 'media' }> }) {
  const [asked, setAsked] = useState(false);
  const { uri } = part;
  const stored = storedMediaId(uri);
  if (stored !== undefined)
    return (
      <Suspense fallback={<p className="text-sm text-muted">{part.modality || 'media'}</p>}>
        <StoredMedia part={part} id={stored} />
      </Suspense>
    );
  const label = `${part.modality || 'media'}${part.mimeType === '' ? '' : `, ${part.mimeType}`}`;
  const Icon = Object.hasOwn(ICONS, part.modality) ? ICONS[part.modality as keyof typeof ICONS] : FileText;
  if (SHOWN_IMAGE.test(uri) && (asked || uri.length <= MOST_CHARACTERS))
    return (
      <img src={uri} alt={label} className="max-h-96 max-w-full self-start rounded border border-line" />
    );
  const frame = 'flex min-w-0 items-center gap-2 rounded border border-line bg-bg px-2 py-1 text-sm';
  if (EMBEDDED.test(uri))
    return (
      <p className={frame}>
        <Icon size={14} aria-hidden className="shrink-0 text-muted" />
        <span className="truncate">{label}</span>
        <span className="shrink-0 text-muted">embedded, {formatCount(uri.length)} characters</span>
        {SHOWN_IMAGE.test(uri) && (
          <button type="button" className="shrink-0 text-accent underline" onClick={() => setAsked(true)}>
            Show
          </button>
        )}
        <a
          href={uri}
          download={`message.${extensionOf(uri)}`}
          className="ml-auto flex shrink-0 items-center gap-1 text-accent underline"
        >
          <Download size={13} aria-hidden />
          Save
        </a>
      </p>
    );
  if (/^https?:\/\//i.test(uri))
    return (
      <p className={frame}>
        <Icon size={14} aria-hidden className="shrink-0 text-muted" />
        <span className="shrink-0">{label}</span>
        <a
          href={uri}
          target="_blank"
          rel="noopener noreferrer nofollow"
          title={`Not loaded from here. Opens ${uri.slice(0, 400)}`}
          className="flex min-w-0 items-center gap-1 text-accent underline"
        >
          <span className="truncate">{uri}</span>
          <ExternalLink size={13} aria-hidden className="shrink-0" />
        </a>
      </p>
    );
  return (
    <p className={frame} title={uri.slice(0, 400)}>
      <Icon size={14} aria-hidden className="shrink-0 text-muted" />
      <span className="shrink-0">{label}</span>
      <span className="truncate font-mono text-muted">{uri === '' ? 'not recorded' : uri.slice(0, 400)}</span>
    </p>
  );
}

/** From the media type; never from what a sender calls a file. */
function extensionOf(uri: string): string {
  const subtype = /^data:[^/;,]+\/([a-z0-9]{1,12})/i.exec(uri)?.[1]?.toLowerCase();
  return subtype ?? 'bin';
}
