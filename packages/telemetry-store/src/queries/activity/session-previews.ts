import type { TraceRow } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { readConversation } from '@candela/semconv';
import { SPREAD } from '../core/page.ts';
import type { Runner } from '../core/run.ts';
import { Scope } from '../core/scope.ts';
import { previewOf } from '../spans/preview.ts';
import { SPANS } from '../spans/span-fields.ts';
import { CONTENT_COLUMNS, READER_COLUMNS, spanReader, type StoredSpan } from '../spans/stored-span.ts';

/** Longer contents are not worth reading for a line of text. */
const MAX_CONTENT_BYTES = 65_536;

export interface SessionPreview {
  readonly sessionId: string;
  readonly preview: TraceRow['preview'];
}

/** First words of sessions, each from the span that opened it: its time is known, so that little is read. */
export async function readSessionPreviews(
  runner: Runner,
  context: RequestContext,
  sessions: readonly { readonly sessionId: string; readonly openingNs: string }[],
): Promise<SessionPreview[]> {
  if (sessions.length === 0) return [];
  const open = Scope.of(context, SPANS);
  const { params } = open;
  const times = sessions.map(
    ({ openingNs }) => `fromUnixTimestamp64Nano(${params.bind(openingNs, 'Int64')})`,
  );
  const ids = params.bind(
    sessions.map(({ sessionId }) => sessionId),
    'Array(String)',
  );
  const scope = open
    .and(`Timestamp IN (${times.join(', ')})`)
    .and(`SessionId IN ${ids}`)
    .and(`arraySum(arrayMap(v -> length(v), mapValues(ContentAttributes))) <= ${MAX_CONTENT_BYTES}`);
  const rows = await runner.run<StoredSpan & { SessionId: string }>(
    scope,
    `SELECT SessionId, ${READER_COLUMNS}, ${CONTENT_COLUMNS} ${scope.from}
     ORDER BY ParentSpanId != '', Timestamp, SpanId LIMIT 1 BY SessionId ${SPREAD}`,
  );
  return rows.map((row) => ({
    sessionId: row.SessionId,
    preview: previewOf(readConversation(spanReader(row))),
  }));
}
