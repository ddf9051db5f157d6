import type {
  Prompt,
  PROMPT_ROUTES,
  PromptDiff,
  PromptUsage,
  PromptVersionView,
  RequestBodyOf,
  ResponseOf,
} from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import type { TimeWindow } from '../lib/time-range.ts';
import { windowSearch } from './activity.ts';
import { call } from './client.ts';
import { pagesOf } from './pages.ts';

type Routes = typeof PROMPT_ROUTES;
type Environment = string | undefined;

const PROMPTS = '/api/prompt';
const PAGE = 100;
const path = (id: string) => `${PROMPTS}/${encodeURIComponent(id)}`;

/** What all queries of prompts begin with. */
export const PROMPT_KEYS = ['prompts'] as const;

/** Prompts of the place that the environment leads to, by name. */
export const promptsQuery = (environment: Environment, filter: { q: string; tag: string }, limit = PAGE) =>
  pagesOf([...PROMPT_KEYS, 'list', environment, filter, limit], ({ cursor }, signal) => {
    const question = new URLSearchParams({ limit: String(limit) });
    if (filter.q !== '') question.set('q', filter.q);
    if (filter.tag !== '') question.set('tag', filter.tag);
    if (cursor !== undefined) question.set('cursor', cursor);
    return call<ResponseOf<Routes['listPrompts']>>(`${PROMPTS}?${question}`, { environment }, { signal });
  });

const promptKey = (environment: Environment, id: string) => [...PROMPT_KEYS, 'one', environment, id];

export const promptQuery = (environment: Environment, id: string) =>
  queryOptions({
    queryKey: promptKey(environment, id),
    queryFn: ({ signal }): Promise<Prompt> =>
      call<ResponseOf<Routes['getPrompt']>>(path(id), { environment }, { signal }).then(
        (answer) => answer.data,
      ),
  });

export const promptVersionsQuery = (environment: Environment, id: string) =>
  pagesOf([...PROMPT_KEYS, 'versions', environment, id], ({ cursor }, signal) => {
    const question = new URLSearchParams({ limit: String(PAGE) });
    if (cursor !== undefined) question.set('cursor', cursor);
    return call<ResponseOf<Routes['listPromptVersions']>>(
      `${path(id)}/versions?${question}`,
      { environment },
      { signal },
    );
  });

/** One version with its text. */
export const promptVersion = (
  environment: Environment,
  id: string,
  version: string,
): Promise<PromptVersionView> =>
  call<ResponseOf<Routes['getPromptVersion']>>(`${path(id)}/versions/${encodeURIComponent(version)}`, {
    environment,
  }).then((answer) => answer.data);

export const promptDiffQuery = (environment: Environment, id: string, from: string, to: string) =>
  queryOptions({
    queryKey: [...PROMPT_KEYS, 'diff', environment, id, from, to],
    queryFn: ({ signal }): Promise<PromptDiff> =>
      call<ResponseOf<Routes['diffPrompt']>>(
        `${path(id)}/diff?${new URLSearchParams({ from, to })}`,
        { environment },
        { signal },
      ).then((answer) => answer.data),
  });

export const promptUsagePath = (id: string, window: TimeWindow): string =>
  `${path(id)}/usage?${new URLSearchParams(windowSearch(window))}`;

/** `at`: another one asks again for the same days. */
export const promptUsageQuery = (environment: Environment, id: string, window: TimeWindow, at: number) =>
  queryOptions({
    queryKey: [...PROMPT_KEYS, 'usage', environment, id, window, at],
    queryFn: ({ signal }): Promise<PromptUsage> =>
      call<ResponseOf<Routes['getPromptUsage']>>(
        promptUsagePath(id, window),
        { environment },
        { signal },
      ).then((answer) => answer.data),
  });

export const createPromptIn = (environment: Environment) => (body: RequestBodyOf<Routes['createPrompt']>) =>
  call<ResponseOf<Routes['createPrompt']>>(PROMPTS, { environment }, { body }).then((answer) => answer.data);

type Identified<Body> = { readonly id: string } & Body;

export const saveDraftIn =
  (environment: Environment) =>
  (what: Identified<RequestBodyOf<Routes['savePromptDraft']>>): Promise<Prompt> => {
    const { id, ...body } = what;
    return call<ResponseOf<Routes['savePromptDraft']>>(
      `${path(id)}/draft`,
      { environment },
      { method: 'PUT', body },
    ).then((answer) => answer.data);
  };

export const discardDraftIn =
  (environment: Environment) =>
  (id: string): Promise<Prompt> =>
    call<ResponseOf<Routes['discardPromptDraft']>>(
      `${path(id)}/draft`,
      { environment },
      { method: 'DELETE' },
    ).then((answer) => answer.data);

export const publishIn =
  (environment: Environment) =>
  (what: Identified<RequestBodyOf<Routes['publishPrompt']>>): Promise<Prompt> => {
    const { id, ...body } = what;
    return call<ResponseOf<Routes['publishPrompt']>>(`${path(id)}/publish`, { environment }, { body }).then(
      (answer) => answer.data,
    );
  };

export const setLabelIn =
  (environment: Environment) => (what: Identified<RequestBodyOf<Routes['setPromptLabel']>>) => {
    const { id, ...body } = what;
    return call(`${path(id)}/labels`, { environment }, { body });
  };

export const removeLabelIn = (environment: Environment) => (what: { id: string; label: string }) =>
  call(`${path(what.id)}/labels/${encodeURIComponent(what.label)}`, { environment }, { method: 'DELETE' });

export const deletePromptIn = (environment: Environment) => (id: string) =>
  call(path(id), { environment }, { method: 'DELETE' });
