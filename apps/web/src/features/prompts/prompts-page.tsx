import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate, useRouter } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { promptsQuery } from '../../api/prompts.ts';
import { useKeptSearch } from '../../lib/kept-search.ts';
import { Button } from '../../ui/button.tsx';
import { DataGrid } from '../../ui/data-grid.tsx';
import { FilterBox } from '../../ui/filter-box.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { StartHere } from '../build/start-here.tsx';
import { RowsFooter } from '../explore/rows-state.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { useShell } from '../shell/shell-search.ts';
import { NewPrompt } from './new-prompt.tsx';
import { promptColumns } from './prompt-columns.tsx';
import { keptPrompts, type PromptsSearch } from './prompts-search.ts';
import { promptSnippets } from './snippets.ts';

const route = getRouteApi('/prompts/');

/** The prompts of a project: newest version, labels, how often they are fetched. */
export function PromptsPage() {
  const { environment } = useShell();
  const { can } = useWhoAsks();
  const search = route.useSearch();
  const navigate = useNavigate();
  const router = useRouter();
  useKeptSearch(keptPrompts, search);
  const { search: text = '', tag = '' } = search;
  const query = useInfiniteQuery({
    ...promptsQuery(environment, { q: text, tag }),
    placeholderData: keepPreviousData,
  });
  const [making, setMaking] = useState(false);
  const change = (next: { [Key in keyof PromptsSearch]?: string | undefined }) =>
    void navigate({
      from: '/prompts/',
      search: (before) => ({ ...before, ...next }) as typeof before,
      replace: true,
    });
  const columns = useMemo(() => promptColumns((next) => change({ tag: next })), []);
  const rows = query.data?.pages.flatMap((page) => page.data) ?? [];
  const add = can('member') && (
    <Button look="primary" onClick={() => setMaking(true)}>
      <Plus size={14} aria-hidden />
      New prompt
    </Button>
  );
  const open = (id: string) => void navigate({ to: '/prompts/$prompt', params: { prompt: id } });
  return (
    <div className="flex h-full flex-col">
      <title>Prompts · Candela</title>
      <h1 className="sr-only">Prompts</h1>
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        <FilterBox
          label="Search prompts"
          placeholder="Part of a prompt's name"
          value={text}
          restMs={250}
          most={100}
          onChange={(next) => change({ search: next || undefined })}
        />
        {tag !== '' && (
          <Button aria-label={`All tags, not only ${tag}`} onClick={() => change({ tag: undefined })}>
            tag {tag} ×
          </Button>
        )}
        {add}
      </div>
      <div className="min-h-0 grow overflow-auto">
        {query.isPending ? (
          <SkeletonRows label="Loading prompts" />
        ) : query.isError ? (
          <Failure error={query.error} onRetry={() => void query.refetch()} />
        ) : rows.length === 0 && (text !== '' || tag !== '') ? (
          <Notice title="No prompt fits">
            <Button onClick={() => change({ search: undefined, tag: undefined })}>Show all</Button>
          </Notice>
        ) : rows.length === 0 ? (
          <StartHere
            title="Write the first prompt"
            snippets={promptSnippets(location.origin, 'support.reply')}
          >
            Prompts live here instead of in the code: versions that never change once published, labels that
            move between them, variables that are filled when an application asks.
          </StartHere>
        ) : (
          <DataGrid
            label="Prompts"
            place={`prompts ${text} ${tag}`}
            columns={columns}
            rows={rows}
            keyOf={(row) => row.id}
            active={search.row}
            onActive={(row) => {
              change({ row: row || undefined });
              // Opening the row comes next: written now, the entry that Back returns to knows it.
              router.history.flush();
            }}
            onOpen={(row) => open(row.id)}
            sort=""
            onSort={() => undefined}
            more={query.hasNextPage && !query.isFetchingNextPage}
            onMore={() => void query.fetchNextPage()}
            footer={
              <RowsFooter
                shown={rows.length}
                fetching={query.isFetchingNextPage}
                failed={query.isFetchNextPageError}
                done={!query.hasNextPage}
                onRetry={() => void query.fetchNextPage()}
              />
            }
          />
        )}
      </div>
      {making && <NewPrompt onMade={open} onClose={() => setMaking(false)} />}
    </div>
  );
}
