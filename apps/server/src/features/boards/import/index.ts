import type { BoardInput, ImportReport } from '@candela/contract';
import { fail } from '@candela/kernel';
import { fromCandela } from './candela.ts';
import { fromGrafana } from './grafana.ts';
import { fromLayout } from './layout.ts';
import { shownOnly } from './parts.ts';

/** A board read from a file, and what became of each of its widgets. */
export interface Imported {
  readonly board: BoardInput;
  readonly report: ImportReport;
}

/** A document as JSON has it. */
export type Document = Readonly<Record<string, unknown>>;

/** Reads a file of one of the formats that are known. @throws refused with the reason when it is none, or of another version */
export const importDocument = (document: Document): Imported => shownOnly(read(document));

function read(document: Document): Imported {
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
