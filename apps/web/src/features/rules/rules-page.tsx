import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate, useRouter } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { rulesQuery } from '../../api/rules.ts';
import { useKeptSearch } from '../../lib/kept-search.ts';
import { Button } from '../../ui/button.tsx';
import { DataGrid } from '../../ui/data-grid.tsx';
import { FilterBox } from '../../ui/filter-box.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { StartHere } from '../build/start-here.tsx';
import { RowsFooter } from '../explore/rows-state.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { useShell } from '../shell/shell-search.ts';
import { NewRule } from './new-rule.tsx';
import { RULE_COLUMNS } from './rule-columns.tsx';
import { keptRules, type RulesSearch, STATUSES } from './rules-search.ts';
import { ruleSnippets } from './snippets.ts';

const route = getRouteApi('/rules/');

/** Conditions that decide who gets which context, prompt or evaluation. */
export function RulesPage() {
  const { environment } = useShell();
  const { can } = useWhoAsks();
  const search = route.useSearch();
  const navigate = useNavigate();
  const router = useRouter();
  useKeptSearch(keptRules, search);
  const { search: text = '', status } = search;
  const query = useInfiniteQuery({
    ...rulesQuery(environment, { q: text, status: status ?? '' }),
    placeholderData: keepPreviousData,
  });
  const [making, setMaking] = useState(false);
  const change = (next: { [Key in keyof RulesSearch]?: RulesSearch[Key] | undefined }) =>
    void navigate({
      from: '/rules/',
      search: (before) => ({ ...before, ...next }) as typeof before,
      replace: true,
    });
  const open = (id: string) => void navigate({ to: '/rules/$rule', params: { rule: id } });
  const rows = query.data?.pages.flatMap((page) => page.data) ?? [];
  const add = can('member') && (
    <Button look="primary" onClick={() => setMaking(true)}>
      <Plus size={14} aria-hidden />
      New rule
    </Button>
  );
  return (
    <div className="flex h-full flex-col">
      <title>Rules · Candela</title>
      <h1 className="sr-only">Rules</h1>
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        <FilterBox
          label="Search rules"
          placeholder="Part of a name or a description"
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
          <SkeletonRows label="Loading rules" />
        ) : query.isError ? (
          <Failure error={query.error} onRetry={() => void query.refetch()} />
        ) : rows.length === 0 && (text !== '' || status !== undefined) ? (
          <Notice title="No rule fits">
            <Button onClick={() => change({ search: undefined, status: undefined })}>Show all</Button>
          </Notice>
        ) : rows.length === 0 ? (
          <StartHere
            title="Write the first rule"
            snippets={ruleSnippets(location.origin)}
            {...(add ? { action: add } : {})}
          >
            A rule is a set of conditions on fields, such as the model or the tier of a user. Applications ask
            which rules match and get what these hand out: contexts, prompts, evaluations. What a rule would
            have matched is shown on the spans that are here already.
          </StartHere>
        ) : (
          <DataGrid
            label="Rules"
            place={`rules ${text} ${status ?? ''}`}
            columns={RULE_COLUMNS}
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
      {making && <NewRule onMade={open} onClose={() => setMaking(false)} />}
    </div>
  );
}
