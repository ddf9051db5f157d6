import type { RecordKind } from '../filter/records.ts';
import { z } from 'zod';
import { defineRoute, reads } from '../route.ts';
import { windowShape } from './common.ts';
import { METRIC_TYPES } from './metrics.ts';

export const EXPORT_KINDS = ['traces', 'spans', 'logs', 'exceptions', 'metrics'] as const satisfies readonly (
  | RecordKind
  | 'traces'
)[];
export type ExportKind = (typeof EXPORT_KINDS)[number];

export const EXPORT_FORMATS = ['csv', 'json', 'otlp'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Columns one export may have. */
export const EXPORT_MAX_COLUMNS = 100;

/** Headers of an export. */
export const EXPORT_HEADERS = { rows: 'x-platform-export-rows', cut: 'x-platform-export-cut' } as const;

export const exportRows = defineRoute({
  id: 'exportRows',
  method: 'POST',
  path: '/api/telemetry/export',
  tag: 'Telemetry',
  summary:
    'Matching traces, spans, log records or exceptions as a file, newest first, or the catalogue of metrics by name: CSV, JSON Lines, or OTLP JSON that any OTLP receiver takes again',
  permission: reads('telemetry'),
  stream: 'file',
  produces: ['text/csv; charset=utf-8', 'application/x-ndjson'],
  body: z.strictObject({
    signal: z.enum(EXPORT_KINDS),
    format: z.enum(EXPORT_FORMATS).meta({
      description:
        '`csv`: RFC 4180, texts that a spreadsheet would run as a formula begin with an apostrophe. `json`: one object a line. `otlp`: one export request a line (the file format of the OpenTelemetry Collector); spans and logs only.',
    }),
    ...windowShape,
    metrics: z
      .strictObject({
        type: z.enum(METRIC_TYPES).optional(),
        unit: z.string().max(200).optional(),
        service: z.string().max(300).optional(),
      })
      .optional()
      .meta({
        description:
          'Of the signal `metrics`: what narrows its catalogue besides `q`, which holds words of the name or the description there.',
      }),
    columns: z.array(z.string().min(1).max(300)).min(1).max(EXPORT_MAX_COLUMNS).optional().meta({
      description:
        'Of `csv` and `json`: fields of the row as the search gives it (`*`: all of them), or `attributes.<key>`, `resource.<key>`, `scope.<key>`; of spans also `score.<name>`, at most 20. Default: all fields of the row; `json` has all attributes too.',
    }),
    limit: z.int().min(1).max(10_000_000).optional().meta({
      description: 'Rows at most; the platform has a bound of its own (PLATFORM_EXPORT_MAX_ROWS).',
    }),
  }),
  response: z.string().meta({
    description: `The file. Header \`${EXPORT_HEADERS.rows}\`: rows it will hold; \`${EXPORT_HEADERS.cut}\`: \`true\` when more rows match than the limit lets through. A failure on the way resets the connection, so that no file looks whole that is not.`,
  }),
  errors: ['bad_query', 'query_too_expensive', 'too_many_streams', 'store_unavailable'],
});
