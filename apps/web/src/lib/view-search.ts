import { parseSearch, stringifySearch } from './search-params.ts';

/** What of the address is a moment's and not the view's; and the project, for a view belongs to one. */
const LEFT_OUT = ['row', 'project'];

/** The state of a page as a view keeps it; facets come last, wherever the address has them. */
export function viewSearch(search: Readonly<Record<string, unknown>>, facets: string | undefined): string {
  const kept = Object.entries(search).filter(([name]) => !LEFT_OUT.includes(name) && name !== 'facets');
  return stringifySearch({ ...Object.fromEntries(kept), facets });
}

/** Where a saved view opens: in the project that it is read from, whatever was saved of another. */
export const viewAddress = (
  view: { readonly page: string; readonly search: string },
  project: string | undefined,
): string => `/${view.page}${stringifySearch({ ...parseSearch(view.search), project })}`;
