import { useSyncExternalStore } from 'react';

type Grammar = typeof import('./grammar.ts');

let grammar: Grammar | undefined;
let coming: Promise<Grammar | undefined> | undefined;
const listeners = new Set<() => void>();

/** Fetches the grammar, once. Where it cannot come the server is the one to say what is wrong with a search. */
export function loadGrammar(): Promise<Grammar | undefined> {
  coming ??= import('./grammar.ts').then(
    ({ completeFilter, completionField, completionValue, hasValues, queryTrouble }) => {
      grammar = { completeFilter, completionField, completionValue, hasValues, queryTrouble };
      for (const listener of listeners) listener();
      return grammar;
    },
    () => {
      coming = undefined;
      return undefined;
    },
  );
  return coming;
}

/** The grammar, once it is there. */
export const useGrammar = (): Grammar | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => grammar,
  );

/** Loader of pages with a search: one that stands in the address is read before anything is asked. */
export async function grammarOfAddress({ location }: { location: { search: object } }): Promise<void> {
  if ('q' in location.search) await loadGrammar();
}
