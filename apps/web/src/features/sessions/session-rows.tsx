import type { ActivitySort, SessionRow } from '@candela/contract';
import { keepPreviousData, useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { previewsQuery, sessionsQuery } from '../../api/activity.ts';
import type { Scope } from '../../api/telemetry.ts';
import { ExploreRows, useShownRows } from '../explore/explore-rows.tsx';
import type { ExploreChange, ExploreSearch } from '../explore/explorer.ts';
import { SaidHits, useSaidHits } from '../explore/said.ts';
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
  const ids = useMemo(() => pages.map(({ data }) => data.map(({ sessionId }) => sessionId)), [pages]);
  const hits = useSaidHits('sessions', ids, scope);
  return (
    <PreviewContext value={byId}>
      <SaidHits value={hits}>
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
          onOpen={(row) => {
            const hit = hits.get(row.sessionId);
            const search = hit === undefined ? {} : { find: hit.match, turn: hit.traceId };
            void navigate({ to: '/sessions/$session', params: { session: row.key }, search });
          }}
          {...(props.nothing === undefined ? {} : { nothing: props.nothing })}
        />
      </SaidHits>
    </PreviewContext>
  );
}
