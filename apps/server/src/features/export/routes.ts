import { fail } from '@candela/kernel';
import type { ExportInput } from '@candela/telemetry-store';
import type { Handlers } from '../../http/handlers.ts';
import { filterOf, windowOf } from '../telemetry/service.ts';
import { createExport, type ExportParts } from './service.ts';

export function exportHandlers(parts: ExportParts): Pick<Handlers, 'exportRows'> {
  const make = createExport(parts);
  return {
    exportRows: ({ context, body, signal: abort }) => {
      const { signal, format, columns } = body;
      const input = {
        window: windowOf(body, parts.clock),
        ...narrowed(body),
        limit: body.limit ?? parts.maxRows,
      };
      return make(context, { signal, format, columns, input }, abort);
    },
  };
}

type Body = Parameters<Handlers['exportRows']>[0]['body'];

/** What the rows must be. The catalogue of metrics is searched by words, everything else by the filter grammar. */
function narrowed(body: Body): Pick<ExportInput, 'filter' | 'metrics'> {
  const { signal, q, metrics } = body;
  if (signal === 'metrics') {
    if (body.filter !== undefined) {
      throw fail('bad_query', {
        detail: 'The catalogue of metrics has no filter: give words in "q", or "metrics".',
      });
    }
    return { filter: undefined, metrics: { q, ...metrics } };
  }
  if (metrics !== undefined) {
    throw fail('bad_query', { detail: '"metrics" narrows the catalogue of metrics only.' });
  }
  return { filter: filterOf(body, signal === 'traces' ? 'spans' : signal) };
}
