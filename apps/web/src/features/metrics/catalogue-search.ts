import type { MetricType } from '@candela/contract';
import { persistedSearch } from '../../lib/persisted-search.ts';
import { choiceParam, textParam } from '../../lib/search-params.ts';

export const METRIC_TYPE_NAMES: readonly MetricType[] = [
  'gauge',
  'sum',
  'histogram',
  'exponential_histogram',
  'summary',
];

/** What the catalogue has in its URL besides time range and environment. */
export interface CatalogueSearch {
  q?: string;
  type?: MetricType;
  unit?: string;
  service?: string;
  row?: string;
}

export function validateCatalogueSearch(raw: Record<string, unknown>): CatalogueSearch {
  const q = textParam(raw, 'q', 200);
  const type = choiceParam(raw, 'type', METRIC_TYPE_NAMES);
  const unit = textParam(raw, 'unit', 200);
  const service = textParam(raw, 'service', 300);
  const row = textParam(raw, 'row', 300);
  return {
    ...(q === undefined ? {} : { q }),
    ...(type === undefined ? {} : { type }),
    ...(unit === undefined ? {} : { unit }),
    ...(service === undefined ? {} : { service }),
    ...(row === undefined ? {} : { row }),
  };
}

export const persistedCatalogue = persistedSearch(validateCatalogueSearch);
