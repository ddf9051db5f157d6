import type {
  Prompt,
  PROMPT_ROUTES,
  PromptDiff,
  PromptUsage,
  PromptVersionView,
  RequestBodyOf,
} from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import type { TimeWindow } from '../lib/time-range.ts';
import { windowSearch } from './activity.ts';
import { addressOf, call } from './client.ts';
import { given, pagesOf } from './pages.ts';

type Routes = typeof PROMPT_ROUTES;
type Environment = string | undefined;

const PAGE = 100;

/** What all queries of prompts begin with. */
export const PROMPT_KEYS = ['prompts'] as const;

/** Prompts of the place that the environment leads to, by name. */
export const promptsQuery = (environment: Environment, filter: { q: string; tag: string }, limit = PAGE) =>
  pagesOf([...PROMPT_KEYS, 'list', environment, filter, limit], ({ cursor }, signal) => {
    return call('listPrompts', { query: { limit, ...given(filter), cursor }, environment, signal });
  });

const promptKey = (environment: Environment, id: string) => [...PROMPT_KEYS, 'one', environment, id];

export const promptQuery = (environment: Environment, id: string) =>
  queryOptions({
    queryKey: promptKey(environment, id),
    queryFn: ({ signal }): Promise<Prompt> =>
      call('getPrompt', { params: { id }, environment, signal }).then((answer) => answer.data),
  });

export const promptVersionsQuery = (environment: Environment, id: string) =>
  pagesOf([...PROMPT_KEYS, 'versions', environment, id], ({ cursor }, signal) => {
    return call('listPromptVersions', {
      params: { id },
      query: { limit: PAGE, cursor },
      environment,
      signal,
    });
  });

/** One version with its text. */
export const promptVersion = (
  environment: Environment,
  id: string,
  version: string,
): Promise<PromptVersionView> =>
  call('getPromptVersion', { params: { id, version }, environment }).then((answer) => answer.data);

export const promptVersionQuery = (environment: Environment, id: string, version: string) =>
  queryOptions({
    queryKey: [...PROMPT_KEYS, 'version', environment, id, version],
    queryFn: () => promptVersion(environment, id, version),
  });

export const promptDiffQuery = (environment: Environment, id: string, from: string, to: string) =>
  queryOptions({
    queryKey: [...PROMPT_KEYS, 'diff', environment, id, from, to],
    queryFn: ({ signal }): Promise<PromptDiff> =>
      call('diffPrompt', { params: { id }, query: { from, to }, environment, signal }).then(
        (answer) => answer.data,
      ),
  });

export const promptUsagePath = (id: string, window: TimeWindow): string =>
  addressOf('getPromptUsage', { params: { id }, query: windowSearch(window) });

/** `at`: another one asks again for the same days. */
export const promptUsageQuery = (environment: Environment, id: string, window: TimeWindow, at: number) =>
  queryOptions({
    queryKey: [...PROMPT_KEYS, 'usage', environment, id, window, at],
    queryFn: ({ signal }): Promise<PromptUsage> =>
      call('getPromptUsage', { params: { id }, query: windowSearch(window), environment, signal }).then(
        (answer) => answer.data,
      ),
  });

export const createPromptIn = (environment: Environment) => (body: RequestBodyOf<Routes['createPrompt']>) =>
  call('createPrompt', { environment, body }).then((answer) => answer.data);

type Identified<Body> = { readonly id: string } & Body;

export const saveDraftIn =
  (environment: Environment) =>
  (what: Identified<RequestBodyOf<Routes['savePromptDraft']>>): Promise<Prompt> => {
    const { id, ...body } = what;
    return call('savePromptDraft', { params: { id }, environment, body }).then((answer) => answer.data);
  };

export const discardDraftIn =
  (environment: Environment) =>
  (id: string): Promise<Prompt> =>
    call('discardPromptDraft', { params: { id }, environment }).then((answer) => answer.data);

export const publishIn =
  (environment: Environment) =>
  (what: Identified<RequestBodyOf<Routes['publishPrompt']>>): Promise<Prompt> => {
    const { id, ...body } = what;
    return call('publishPrompt', { params: { id }, environment, body }).then((answer) => answer.data);
  };

export const setLabelIn =
  (environment: Environment) => (what: Identified<RequestBodyOf<Routes['setPromptLabel']>>) => {
    const { id, ...body } = what;
    return call('setPromptLabel', { params: { id }, environment, body });
  };

export const removeLabelIn = (environment: Environment) => (what: { id: string; label: string }) =>
  call('removePromptLabel', { params: { id: what.id, label: what.label }, environment });

/** Labels that only admins and owners move. */
export const protectedLabelsQuery = (environment: Environment) =>
  queryOptions({
    queryKey: [...PROMPT_KEYS, 'protected', environment],
    queryFn: ({ signal }): Promise<readonly string[]> =>
      call('getProtectedLabels', { environment, signal }).then((answer) => answer.data.labels),
  });

export const setProtectedLabelsIn = (environment: Environment) => (labels: readonly string[]) =>
  call('setProtectedLabels', { environment, body: { labels: [...labels] } });

export const deletePromptIn = (environment: Environment) => (id: string) =>
  call('deletePrompt', { params: { id }, environment });
