import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import { promptsQuery } from '../../api/prompts.ts';
import { usePersistedSearch } from '../../lib/persisted-search.ts';
import { Button } from '../../ui/button.tsx';
import { ListPage } from '../build/list-page.tsx';
import { StartHere } from '../build/start-here.tsx';
import { useShell } from '../shell/shell-search.ts';
import { useWhoAsks } from '../session/use-person.ts';
import { NewPrompt } from './new-prompt.tsx';
import { promptColumns } from './prompt-columns.tsx';
import { persistedPrompts, type PromptsSearch } from './prompts-search.ts';
import { promptSnippets } from './snippets.ts';

const PromptOfCall = lazy(() => import('./prompt-of-call.tsx'));
const route = getRouteApi('/prompts/');

/** The prompts of a project: newest version, labels, how often they are fetched. */
export function PromptsPage() {
  const { environment } = useShell();
  const search = route.useSearch();
  const navigate = useNavigate();
  usePersistedSearch(persistedPrompts, search);
  const { search: text = '', tag = '' } = search;
  const query = useInfiniteQuery({
    ...promptsQuery(environment, { q: text, tag }),
    placeholderData: keepPreviousData,
  });
  const change = (next: { [Key in keyof PromptsSearch]?: string | undefined }) =>
    void navigate({
      from: '/prompts/',
      search: (before) => ({ ...before, ...next }) as typeof before,
      replace: true,
    });
  const columns = useMemo(() => promptColumns((next) => change({ tag: next })), []);
  const open = (id: string) => void navigate({ to: '/prompts/$prompt', params: { prompt: id } });
  const { can } = useWhoAsks();
  const { trace, span } = search;
  const list = (
    <ListPage
      noun="prompt"
      nouns="prompts"
      columns={columns}
      query={query}
      search={{
        text,
        placeholder: 'Part of the name of a prompt',
        most: 100,
        onChange: (next) => change({ search: next }),
      }}
      narrowed={tag === '' ? undefined : tag}
      filters={
        tag !== '' && (
          <Button aria-label={`All tags, not only ${tag}`} onClick={() => change({ tag: undefined })}>
            tag {tag} ×
          </Button>
        )
      }
      onShowAll={() => change({ search: undefined, tag: undefined })}
      active={search.row}
      onActive={(row) => change({ row })}
      onOpen={open}
      start={
        <StartHere title="Write the first prompt" snippets={promptSnippets(location.origin, 'support.reply')}>
          Prompts live here instead of in the code: versions that never change once published, labels that
          move between them, variables that are filled when an application asks.
        </StartHere>
      }
      creator={(onClose) => <NewPrompt onMade={open} onClose={onClose} />}
    />
  );
  return (
    <>
      {list}
      {trace !== undefined && span !== undefined && can('member') && (
        <Suspense fallback={null}>
          <PromptOfCall
            trace={trace}
            span={span}
            onMade={open}
            onClose={() => change({ trace: undefined, span: undefined })}
          />
        </Suspense>
      )}
    </>
  );
}
