import type { SpanDetail } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { openExport } from '../../api/explore.ts';

/** What of an OTLP/JSON trace request is looked at. */
interface TraceRequest {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly StoredTimes[] }[];
  }[];
}

interface StoredTimes {
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

type Shown = Pick<SpanDetail, 'traceId' | 'spanId' | 'startTimeUnixNano' | 'endTimeUnixNano' | 'unfinished'>;

/** More than a span is stored. */
const MOST_TWINS = 100;

/** The span as it is stored, as an OTLP/JSON request that any OpenTelemetry receiver takes: the server's own export. */
export const spanOtlpQuery = (shown: Shown) => {
  const fromMs = Number(BigInt(shown.startTimeUnixNano) / 1_000_000n);
  const q = `trace_id:${shown.traceId} span_id:${shown.spanId}`;
  return queryOptions({
    queryKey: ['span-otlp', q, shown.startTimeUnixNano, shown.endTimeUnixNano],
    queryFn: async ({ signal }) => {
      const scope = { window: { fromMs, toMs: fromMs + 1 }, q, environment: undefined };
      const { body } = await openExport(
        scope,
        { signal: 'spans', format: 'otlp', limit: MOST_TWINS },
        signal,
      );
      return shownSpan(await new Response(body).text(), shown);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
};

/** A request with the span that is shown alone: one that was sent while it ran, too, is in the lines twice. */
export function shownSpan(lines: string, shown: Shown): string {
  const end = shown.unfinished ? '0' : shown.endTimeUnixNano;
  for (const line of lines.split('\n')) {
    const { resourceSpans } = JSON.parse(line === '' ? '{"resourceSpans":[]}' : line) as TraceRequest;
    for (const resource of resourceSpans) {
      for (const scope of resource.scopeSpans) {
        const span = scope.spans.find(
          (one) => one.startTimeUnixNano === shown.startTimeUnixNano && one.endTimeUnixNano === end,
        );
        if (span === undefined) continue;
        const alone = { resourceSpans: [{ ...resource, scopeSpans: [{ ...scope, spans: [span] }] }] };
        return JSON.stringify(alone, null, 2);
      }
    }
  }
  throw new Error('The export has no such span');
}
