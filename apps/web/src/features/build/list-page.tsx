import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { cx } from '../../lib/cx.ts';
import { useNarrow } from '../../lib/narrow.ts';
import { Button } from '../../ui/button.tsx';
import { DataGrid, type GridColumn } from '../../ui/data-grid.tsx';
import { FilterBox } from '../../ui/filter-box.tsx';
import { PAGE_COLUMN, PAGE_ROWS } from '../../ui/page-column.ts';
import { Failure, Notice, NotRefreshed, SkeletonRows } from '../../ui/states.tsx';
import { RowsFooter } from '../explore/rows-state.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { useShell } from '../shell/shell-search.ts';

type Pages<Row> = InfiniteData<{ readonly data: readonly Row[] }>;

export interface ListPageProps<Row extends { readonly id: string }> {
  /** What a row is, in the singular and the plural: `rule`, `rules`. */
  readonly noun: string;
  readonly nouns: string;
  readonly columns: readonly GridColumn<Row>[];
  readonly query: UseInfiniteQueryResult<Pages<Row>>;
  readonly search: {
    readonly text: string;
    readonly placeholder: string;
    /** Characters that the server takes. */
    readonly most?: number;
    readonly onChange: (text: string | undefined) => void;
  };
  /** What narrows the list besides the text; undefined: nothing does now. */
  readonly narrowed: string | undefined;
  /** Beside the search: further filters. */
  readonly filters?: ReactNode;
  readonly onShowAll: () => void;
  readonly active: string | undefined;
  readonly onActive: (id: string | undefined) => void;
  readonly onOpen: (id: string) => void;
  /** What stands there while a project has none. */
  readonly start: ReactNode;
  /** Asks for what a new one needs. */
  readonly creator: (onClose: () => void) => ReactNode;
}

/** The list of one kind of thing that people write here: search, rows, and what is there before the first. */
export function ListPage<Row extends { readonly id: string }>(props: ListPageProps<Row>) {
  const { noun, nouns, query, search, narrowed } = props;
  const { can } = useWhoAsks();
  const { choice } = useShell();
  const router = useRouter();
  const records = useNarrow();
  const [making, setMaking] = useState(false);
  const title = `${nouns.charAt(0).toUpperCase()}${nouns.slice(1)}`;
  const rows = query.data?.pages.flatMap((page) => page.data) ?? [];
  const add = can('member') && (
    <Button look="primary" onClick={() => setMaking(true)}>
      <Plus size={14} aria-hidden />
      New {noun}
    </Button>
  );
  return (
    <div className={PAGE_COLUMN}>
      <title>{`${title} · Candela`}</title>
      <h1 className="sr-only">{title}</h1>
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        <FilterBox
          label={`Search ${nouns}`}
          placeholder={search.placeholder}
          value={search.text}
          restMs={250}
          {...(search.most === undefined ? {} : { most: search.most })}
          onChange={(next) => search.onChange(next || undefined)}
        />
        {props.filters}
        {add}
      </div>
      <NotRefreshed
        error={query.isRefetchError ? query.error : null}
        onRetry={() => void query.refetch({ cancelRefetch: false })}
      />
      <div className={cx('overflow-auto', PAGE_ROWS)}>
        {query.isPending ? (
          <SkeletonRows label={`Loading ${nouns}`} />
        ) : query.isLoadingError ? (
          <Failure error={query.error} onRetry={() => void query.refetch()} />
        ) : rows.length === 0 && (search.text !== '' || narrowed !== undefined) ? (
          <Notice title={`No ${noun} fits`}>
            <Button onClick={props.onShowAll}>Show all</Button>
          </Notice>
        ) : rows.length === 0 ? (
          props.start
        ) : (
          <DataGrid
            label={title}
            records={records}
            place={`${nouns} ${choice} ${search.text} ${narrowed ?? ''}`}
            columns={props.columns}
            rows={rows}
            keyOf={(row) => row.id}
            active={props.active}
            onActive={(row) => {
              props.onActive(row || undefined);
              // Opening the row comes next: written now, the entry that Back returns to knows it.
              router.history.flush();
            }}
            onOpen={(row) => props.onOpen(row.id)}
            sort=""
            onSort={() => undefined}
            more={query.hasNextPage}
            paused={query.isFetchingNextPage || query.isFetchNextPageError}
            onMore={() => void query.fetchNextPage()}
            footer={
              <RowsFooter
                shown={rows.length}
                fetching={query.isFetchingNextPage}
                failed={query.isFetchNextPageError ? query.error : null}
                done={!query.hasNextPage}
                onRetry={() => void query.fetchNextPage()}
              />
            }
          />
        )}
      </div>
      {making && props.creator(() => setMaking(false))}
    </div>
  );
}
