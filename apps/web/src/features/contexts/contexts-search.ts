import { persistedSearch } from '../../lib/persisted-search.ts';
import { choiceParam, textParam } from '../../lib/search-params.ts';

export const STATUSES = ['ACTIVE', 'INACTIVE'] as const;

/** What the list of contexts has in its URL. */
export interface ContextsSearch {
  /** Text in name, description or a tag. */
  search?: string;
  status?: (typeof STATUSES)[number];
  /** Id of the selected row. */
  row?: string;
}

export function validateContextsSearch(raw: Record<string, unknown>): ContextsSearch {
  const search = textParam(raw, 'search', 200);
  const status = choiceParam(raw, 'status', STATUSES);
  const row = textParam(raw, 'row', 64);
  return {
    ...(search === undefined ? {} : { search }),
    ...(status === undefined ? {} : { status }),
    ...(row === undefined ? {} : { row }),
  };
}

export const persistedContexts = persistedSearch(validateContextsSearch);

export const CONTEXT_VIEWS = ['editor', 'versions'] as const;

/** What the page of a context has in its URL. */
export interface ContextSearch {
  view?: (typeof CONTEXT_VIEWS)[number];
  /** The versions that are compared, as numbers: the older and the newer. */
  a?: string;
  b?: string;
}

export function validateContextSearch(raw: Record<string, unknown>): ContextSearch {
  const view = choiceParam(raw, 'view', CONTEXT_VIEWS);
  const version = (name: string) => {
    const text = textParam(raw, name, 9);
    return text !== undefined && /^[1-9]\d*$/.test(text) ? text : undefined;
  };
  const [a, b] = [version('a'), version('b')];
  return {
    ...(view === undefined || view === 'editor' ? {} : { view }),
    ...(a === undefined ? {} : { a }),
    ...(b === undefined ? {} : { b }),
  };
}
