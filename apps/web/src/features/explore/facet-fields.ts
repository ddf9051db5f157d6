import { MAX_COUNTED_KEYS, type RecordKind } from '@candela/contract/filter';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { type Preference, preference } from '../../lib/preference.ts';
import { textParam } from '../../lib/search-params.ts';
import { printColumns, readColumns } from './columns.ts';
import type { ExploreConfig } from './explore-config.ts';

/** More than fields of the longest names need. */
const MOST = 8_192;
const isText = (text: string): text is string => text.length < MOST;

const known = new Map<string, Preference<string>>();
function kept(name: string, fallback = ''): Preference<string> {
  const found = known.get(name) ?? preference(name, fallback, isText);
  known.set(name, found);
  return found;
}

/** Names as one text: keys of attributes may hold blanks. */
const printNames = (names: readonly string[]): string =>
  names.map((name) => name.replaceAll(/[% ]/g, encodeURIComponent)).join(' ');
const readNames = (text: string): string[] =>
  text.split(' ').flatMap((name) => (name === '' ? [] : name.replaceAll('%20', ' ').replaceAll('%25', '%')));

/** Which groups are folded is a choice of the person, kept by what is explored. */
export function useFolded(config: ExploreConfig): {
  readonly names: readonly string[];
  toggle(name: string): void;
} {
  const name = config.noun === 'spans' ? 'facets.folded' : `facets.folded.${config.noun}`;
  const choice = kept(name, (config.folded ?? []).join(' '));
  const names = readNames(choice.use());
  return {
    names,
    toggle: (one) =>
      choice.set(printNames(names.includes(one) ? names.filter((other) => other !== one) : [...names, one])),
  };
}

/** The facets that a person added, by signal, as an address writes them. */
const addedFacets = (signal: RecordKind): Preference<string> => kept(`facets.added.${signal}`);

/** What an address says of a person's facets, when it is to show the same to others; undefined: nothing. */
export function useFacetsText(signal: RecordKind): string | undefined {
  const own = addedFacets(signal).use();
  const ofAddress = useAddress();
  return ofAddress ?? (own === '' ? undefined : own);
}

const useAddress = (): string | undefined =>
  useRouterState({ select: ({ location }) => textParam(location.search, 'facets') });

/** Says in an address that there are none, where one without would have those of the person. */
const NONE = '-';
const readFacets = (text: string): string[] =>
  text === '' || text === NONE ? [] : [...new Set(readColumns(text))].slice(0, MAX_COUNTED_KEYS);

export interface AddedFacets {
  readonly fields: readonly string[];
  /** There are as many as there can be. */
  readonly full: boolean;
  add(field: string): void;
  remove(field: string): void;
}

/** Facets beyond those of the page: those that the address says, as a saved view does, else those that the person added. */
export function useAddedFacets(signal: RecordKind): AddedFacets {
  const choice = addedFacets(signal);
  const own = choice.use();
  const ofAddress = useAddress();
  const navigate = useNavigate();
  const fields = readFacets(ofAddress ?? own);
  const change = (next: readonly string[]) => {
    const text = printColumns(next);
    if (ofAddress === undefined) return choice.set(text);
    void navigate({
      to: '.',
      search: (before: object) => ({ ...before, facets: text === '' ? NONE : text }),
      replace: true,
    });
  };
  return {
    fields,
    full: fields.length >= MAX_COUNTED_KEYS,
    add: (field) => {
      if (!fields.includes(field)) change([...fields, field].slice(0, MAX_COUNTED_KEYS));
    },
    remove: (field) => change(fields.filter((one) => one !== field)),
  };
}
