import { persistedSearch } from '../../lib/persisted-search.ts';
import { choiceParam, textParam } from '../../lib/search-params.ts';

/** What the list of prompts has in its URL. */
export interface PromptsSearch {
  /** Part of a name. */
  search?: string;
  tag?: string;
  /** Id of the selected row. */
  row?: string;
  /** A model call that a new prompt is made of. */
  trace?: string;
  span?: string;
}

export function validatePromptsSearch(raw: Record<string, unknown>): PromptsSearch {
  const search = textParam(raw, 'search', 100);
  const tag = textParam(raw, 'tag', 100);
  const row = textParam(raw, 'row', 64);
  const [trace, span] = [textParam(raw, 'trace', 32), textParam(raw, 'span', 16)];
  return {
    ...(search === undefined ? {} : { search }),
    ...(tag === undefined ? {} : { tag }),
    ...(row === undefined ? {} : { row }),
    ...(trace === undefined || span === undefined ? {} : { trace, span }),
  };
}

export const persistedPrompts = persistedSearch(validatePromptsSearch);

export const PROMPT_VIEWS = ['editor', 'versions', 'usage'] as const;

/** What the page of a prompt has in its URL. */
export interface PromptSearch {
  view?: (typeof PROMPT_VIEWS)[number];
  /** The versions that are compared: the older and the newer, or `draft`. */
  a?: string;
  b?: string;
}

export function validatePromptSearch(raw: Record<string, unknown>): PromptSearch {
  const view = choiceParam(raw, 'view', PROMPT_VIEWS);
  const version = (name: string) => {
    const text = textParam(raw, name, 60);
    return text !== undefined && /^(?:draft|\d+\.\d+\.\d+)$/.test(text) ? text : undefined;
  };
  const [a, b] = [version('a'), version('b')];
  return {
    ...(view === undefined || view === 'editor' ? {} : { view }),
    ...(a === undefined ? {} : { a }),
    ...(b === undefined ? {} : { b }),
  };
}
