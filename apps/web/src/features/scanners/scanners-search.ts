import { textParam } from '../../lib/search-params.ts';

/** What the page of scanners has in its address. */
export interface ScannersSearch {
  scanner?: string;
  severity?: string;
  status?: string;
  detector?: string;
  repository?: string;
}

export function validateScannersSearch(raw: Record<string, unknown>): ScannersSearch {
  const found: ScannersSearch = {};
  for (const key of ['scanner', 'severity', 'status', 'detector'] as const) {
    const value = textParam(raw, key, 64);
    if (value !== undefined) found[key] = value;
  }
  const repository = textParam(raw, 'repository', 2_000);
  if (repository !== undefined) found.repository = repository;
  return found;
}
