import type { ActivitySort, SessionRow } from '@candela/contract';
import { keepPreviousData, useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { previewsQuery, sessionsQuery } from '../../api/activity.ts';
import type { Scope } from '../../api/telemetry.ts';
import { ExploreRows, useShownRows } from '../explore/explore-rows.tsx';
import type { ExploreChange, ExploreSearch } from '../explore/explorer.ts';
import { PreviewContext, SESSION_COLUMNS } from './session-columns.tsx';

const keyOf = (row: SessionRow) => row.key;

/** Rows of sessions with their first words; of one user on that user's page. */
export function SessionRows(props: {
  scope: Scope;
  search: ExploreSearch;
  user?: string;
  onChange: (next: ExploreChange) => void;
  onRow: (key: string) => void;
  nothing?: ReactNode;
}) {
  const { scope, user } = props;
  const navigate = useNavigate();
  const sort = (props.search.sort ?? '-last') as ActivitySort;
  const query = useInfiniteQuery({ ...sessionsQuery(scope, sort, user), placeholderData: keepPreviousData });
  const pages = useShownRows(query, props).data?.pages ?? [];
  const previews = useQueries({
    queries: pages.map((page) => previewsQuery(page.data, scope.environment)),
    combine: (answers) => answers.map((answer) => answer.data),
  });
  const byId = useMemo(() => new Map(previews.flatMap((answer) => [...(answer ?? [])])), [previews]);
  return (
    <PreviewContext value={byId}>
      <ExploreRows<SessionRow>
        label="Sessions"
        noun="sessions"
        scope={scope}
        search={props.search}
        onChange={props.onChange}
        onRow={props.onRow}
        query={query}
        sort={sort}
        columns={SESSION_COLUMNS}
        keyOf={keyOf}
        onOpen={(row) => void navigate({ to: '/sessions/$session', params: { session: row.key } })}
        {...(props.nothing === undefined ? {} : { nothing: props.nothing })}
      />
    </PreviewContext>
  );
}
