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
        filter: filterOf(body, signal === 'logs' ? 'logs' : 'spans'),
        limit: body.limit ?? parts.maxRows,
      };
      return make(context, { signal, format, columns, input }, abort);
    },
  };
}
