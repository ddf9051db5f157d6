import type { SpanDetail } from '@candela/contract';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import { curlOf } from '../../lib/curl.ts';
import { formatDuration } from '../../lib/format.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { AttributeTable } from '../explore/attributes.tsx';
import { spanOtlpQuery } from './span-otlp.ts';

/** What happened while the span ran, in order. */
export function EventsTab({ detail }: { detail: SpanDetail }) {
  if (detail.events.length === 0) return <p className="p-4 text-muted">This span has no events.</p>;
  return (
    <ol className="flex flex-col gap-3 p-3">
      {detail.events.map((event, index) => (
        <li key={index}>
          <h3 className="mb-1 flex gap-2">
            <span className="font-medium">{event.name}</span>
            <span className="text-sm text-muted" title={event.time}>
              after {formatDuration(event.offsetMs)}
            </span>
          </h3>
          {event.attributes.length > 0 && <AttributeTable entries={event.attributes} />}
        </li>
      ))}
    </ol>
  );
}

/** Spans that this one names without being their child. */
export function LinksTab({ detail }: { detail: SpanDetail }) {
  if (detail.links.length === 0) return <p className="p-4 text-muted">This span links to no other span.</p>;
  return (
    <ol className="flex flex-col gap-3 p-3">
      {detail.links.map((link, index) => (
        <li key={index}>
          <Link
            to="/traces/$traceId"
            params={{ traceId: link.traceId }}
            search={{ span: link.spanId }}
            className="font-mono text-sm text-accent underline"
          >
            {link.traceId} / {link.spanId}
          </Link>
          {link.attributes.length > 0 && <AttributeTable entries={link.attributes} />}
        </li>
      ))}
    </ol>
  );
}

/** The span as the API has it, to be copied. */
export function RawTab({ detail }: { detail: SpanDetail }) {
  const client = useQueryClient();
  const text = JSON.stringify(detail, null, 2);
  return (
    <div className="relative p-3">
      <div className="absolute top-4 right-4 flex bg-surface">
        <CopyButton
          label="Copy as cURL"
          text={() =>
            curlOf(
              location.origin,
              addressOf('getSpan', { params: { traceId: detail.traceId, spanId: detail.spanId } }),
            )
          }
          className="h-6"
        >
          cURL
        </CopyButton>
        <CopyButton
          label="Copy as OTLP"
          text={() => client.fetchQuery(spanOtlpQuery(detail))}
          className="h-6"
        >
          OTLP
        </CopyButton>
        <CopyButton label="Copy as JSON" text={() => text} className="h-6">
          JSON
        </CopyButton>
      </div>
      <pre className="rounded-md border border-line bg-surface p-3 font-mono text-sm break-words whitespace-pre-wrap">
        {text.length > 200_000
          ? `${text.slice(0, 200_000)}\n… ${text.length - 200_000} more characters: copy to read all`
          : text}
      </pre>
    </div>
  );
}
