import type { MessagePart } from '@candela/semconv';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Download, FileText } from 'lucide-react';
import { useState } from 'react';
import { call, projectOfAddress } from '../../api/client.ts';
import { formatCount } from '../../lib/format.ts';
import { FailureLine } from '../../ui/states.tsx';

type MediaPart = Extract<MessagePart, { type: 'media' }>;

/** Its address is good for an hour. */
const FRESH_MS = 50 * 60_000;

const mediaQuery = (id: string) =>
  queryOptions({
    queryKey: ['media', projectOfAddress(), id],
    staleTime: FRESH_MS,
    queryFn: ({ signal }) => call('getMedia', { params: { mediaId: id }, signal }),
  });

/** What this page may load is of its own origin, whatever name the platform gives itself. */
function ownPath(url: string): string {
  const { pathname, search } = new URL(url, location.origin);
  return `${pathname}${search}`;
}

/** An image, a sound or a file that the application uploaded beside of its telemetry. */
export default function StoredMedia({ part, id }: { part: MediaPart; id: string }) {
  const { data, error, refetch } = useQuery(mediaQuery(id));
  const [broken, setBroken] = useState(false);
  const label = `${part.modality || 'media'}${part.mimeType === '' ? '' : `, ${part.mimeType}`}`;
  if (error)
    return (
      <FailureLine what={`The ${part.modality || 'media'}`} error={error} onRetry={() => void refetch()} />
    );
  if (data === undefined) return <p className="text-sm text-muted">{label}</p>;
  const src = ownPath(data.url);
  // What was uploaded counts, not what the message calls it.
  const [kind = ''] = data.contentType.split('/', 1);
  const give = () => setBroken(true);
  if (kind === 'image' && !broken)
    return (
      <img
        src={src}
        alt={label}
        onError={give}
        className="max-h-96 max-w-full self-start rounded border border-line"
      />
    );
  if (kind === 'audio' && !broken)
    return (
      <audio src={src} controls preload="metadata" aria-label={label} onError={give} className="max-w-full" />
    );
  if (kind === 'video' && !broken)
    return (
      <video
        src={src}
        controls
        preload="metadata"
        aria-label={label}
        onError={give}
        className="max-h-96 max-w-full self-start rounded border border-line"
      />
    );
  return (
    <p className="flex min-w-0 items-center gap-2 rounded border border-line bg-bg px-2 py-1 text-sm">
      <FileText size={14} aria-hidden className="shrink-0 text-muted" />
      <span className="truncate">{data.contentType}</span>
      <span className="shrink-0 text-muted">{formatCount(data.contentLength)} bytes</span>
      <a href={src} download className="ml-auto flex shrink-0 items-center gap-1 text-accent underline">
        <Download size={13} aria-hidden />
        Save
      </a>
    </p>
  );
}
