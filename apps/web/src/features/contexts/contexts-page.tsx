import type { ContextSummary } from '@candela/contract';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate, useRouter } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { contextsQuery } from '../../api/contexts.ts';
import { useKeptSearch } from '../../lib/kept-search.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { DataGrid, type GridColumn } from '../../ui/data-grid.tsx';
import { FilterBox } from '../../ui/filter-box.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { StartHere } from '../build/start-here.tsx';
import { countCell, Muted, textCell, TIME_WIDTH, TimeCell } from '../explore/cells.tsx';
import { RowsFooter } from '../explore/rows-state.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { useShell } from '../shell/shell-search.ts';
import { type ContextsSearch, keptContexts, STATUSES } from './contexts-search.ts';
import { NewContext } from './new-context.tsx';
import { contextSnippets } from './snippets.ts';

const route = getRouteApi('/contexts/');

const COLUMNS: readonly GridColumn<ContextSummary>[] = [
  {
    id: 'name',
    label: 'Context',
    width: 170,
    grow: 1,
    cell: (row) => (
      <Link
        to="/contexts/$context"
        params={{ context: row.id }}
        title={row.name}
        className="truncate font-medium hover:underline"
      >
        {row.name}
      </Link>
    ),
  },
  {
    id: 'status',
    label: 'Status',
    width: 84,
    cell: (row) => (row.status === 'ACTIVE' ? <Badge tone="ok">active</Badge> : <Badge>inactive</Badge>),
  },
  {
    id: 'preview',
    label: 'Content',
    width: 220,
    grow: 2.4,
    cell: (row) => <Muted>{row.preview.replaceAll(/\s+/g, ' ')}</Muted>,
  },
  { id: 'tags', label: 'Tags', width: 110, grow: 0.6, cell: (row) => textCell(row.tags.join(', ')) },
  { id: 'length', label: 'Characters', width: 80, align: 'end', cell: (row) => countCell(row.length) },
  { id: 'version', label: 'Version', width: 64, align: 'end', cell: (row) => row.version },
  { id: 'by', label: 'By', width: 110, grow: 0.5, cell: (row) => textCell(row.updatedBy) },
  { id: 'updated', label: 'Changed', width: TIME_WIDTH, cell: (row) => <TimeCell iso={row.updatedAt} /> },
];

/** Texts that rules hand to applications. */
export function ContextsPage() {
  const { environment } = useShell();
  const { can } = useWhoAsks();
  const search = route.useSearch();
  const navigate = useNavigate();
  const router = useRouter();
  useKeptSearch(keptContexts, search);
  const { search: text = '', status } = search;
  const query = useInfiniteQuery({
    ...contextsQuery(environment, { q: text, status: status ?? '' }),
    placeholderData: keepPreviousData,
  });
  const [making, setMaking] = useState(false);
  const change = (next: { [Key in keyof ContextsSearch]?: ContextsSearch[Key] | undefined }) =>
    void navigate({
      from: '/contexts/',
      search: (before) => ({ ...before, ...next }) as typeof before,
      replace: true,
    });
  const open = (id: string) => void navigate({ to: '/contexts/$context', params: { context: id } });
  const rows = query.data?.pages.flatMap((page) => page.data) ?? [];
  const add = can('member') && (
    <Button look="primary" onClick={() => setMaking(true)}>
      <Plus size={14} aria-hidden />
      New context
    </Button>
  );
  return (
    <div className="flex h-full flex-col">
      <title>Contexts · Candela</title>
      <h1 className="sr-only">Contexts</h1>
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        <FilterBox
          label="Search contexts"
          placeholder="Part of a name, a description or a tag"
          value={text}
          restMs={250}
          onChange={(next) => change({ search: next || undefined })}
        />
        <Segments
          label="Status"
          value={status ?? 'all'}
          choices={['all', ...STATUSES]}
          nameOf={(value) => value.toLowerCase()}
          onChoose={(value) => change({ status: value === 'all' ? undefined : value })}
        />
        {add}
      </div>
      <div className="min-h-0 grow overflow-auto">
        {query.isPending ? (
          <SkeletonRows label="Loading contexts" />
        ) : query.isError ? (
          <Failure error={query.error} onRetry={() => void query.refetch()} />
        ) : rows.length === 0 && (text !== '' || status !== undefined) ? (
          <Notice title="No context fits">
            <Button onClick={() => change({ search: undefined, status: undefined })}>Show all</Button>
          </Notice>
        ) : rows.length === 0 ? (
          <StartHere title="Write the first context" snippets={contextSnippets(location.origin)}>
            A context is a text that applications add to what they send to a model: a policy, a price list, a
            tone. Rules decide who gets which, so that it changes here and not in the code.
          </StartHere>
        ) : (
          <DataGrid
            label="Contexts"
            place={`contexts ${text} ${status ?? ''}`}
            columns={COLUMNS}
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
      {making && <NewContext onMade={open} onClose={() => setMaking(false)} />}
    </div>
  );
}
