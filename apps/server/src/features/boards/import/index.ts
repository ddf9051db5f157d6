import { BOARD_LIMITS, type BoardInput, type ImportReport } from '@candela/contract';
import { fail } from '@candela/kernel';
import { fromCandela } from './candela.ts';
import { fromGrafana } from './grafana.ts';
import { fromLayout } from './layout.ts';

/** A board read from a file, and what became of each of its widgets. */
export interface Imported {
  readonly board: BoardInput;
  readonly report: ImportReport;
}

/** A document as JSON has it. */
export type Document = Readonly<Record<string, unknown>>;

/**
 * Reads a file of one of the formats that are known. @throws refused with the reason when it is none of them, of another
 * version, or too large
 */
export function importDocument(document: Document): Imported {
  if (JSON.stringify(document).length > BOARD_LIMITS.importBytes)
    throw fail('refused', {
      detail: `A board as a file has at most ${BOARD_LIMITS.importBytes} characters.`,
    });
  if ('$candela' in document) return fromCandela(document);
  if ('widgets' in document && 'layouts' in document) return fromLayout(document);
  // Some exports wrap it.
  const inner = document['dashboard'];
  const dashboard = typeof inner === 'object' && inner !== null ? (inner as Document) : document;
  if (Array.isArray(dashboard['panels']) || Array.isArray(dashboard['rows'])) return fromGrafana(dashboard);
  if ('elements' in dashboard || 'spec' in dashboard)
    throw fail('refused', {
      detail:
        'This is a Grafana dashboard of the new resource model. Export it as "Classic" and import that.',
    });
  throw fail('refused', {
    detail: 'This is no board: it has neither "$candela", nor "widgets" with "layouts", nor "panels".',
  });
}
