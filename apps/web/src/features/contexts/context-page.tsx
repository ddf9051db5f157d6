import type { Context } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { contextQuery } from '../../api/contexts.ts';
import { cx } from '../../lib/cx.ts';
import { Badge } from '../../ui/badge.tsx';
import { BackLink } from '../../ui/page-head.tsx';
import { PAGE_COLUMN, PAGE_ROWS } from '../../ui/page-column.ts';
import { SkeletonRows } from '../../ui/states.tsx';
import { TabList, TabPanel } from '../../ui/tabs.tsx';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { DetailHead, DetailPage } from '../build/detail-page.tsx';
import { useShell } from '../shell/shell-search.ts';
import { ContextEditor } from './context-editor.tsx';
import { CONTEXT_VIEWS, type ContextSearch, persistedContexts } from './contexts-search.ts';
import { useContextForm } from './use-context-form.ts';

const route = getRouteApi('/contexts/$context');
const ContextVersions = lazy(() => import('./context-versions.tsx'));
const LABELS = { editor: 'Editor', versions: 'Versions' } as const;

/** One context: its text, what it was before, which rules hand it out. */
export function ContextPage() {
  const { context: id } = route.useParams();
  const { environment } = useShell();
  const navigate = route.useNavigate();
  const query = useQuery(contextQuery(environment, id));
  return (
    <DetailPage
      noun="context"
      nouns="contexts"
      id={id}
      query={query}
      back={<Back />}
      onBack={() => void navigate({ to: '/contexts', search: persistedContexts.last() })}
    >
      {(found) => <OneContext key={found.id} context={found} />}
    </DetailPage>
  );
}

function Back() {
  return <BackLink to="/contexts" search={persistedContexts.last()} label="Back to the contexts" />;
}

function OneContext({ context }: { context: Context }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const form = useContextForm(context);
  const view = search.view ?? 'editor';
  const change = (next: { [Key in keyof ContextSearch]?: ContextSearch[Key] | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace: true });
  return (
    <div className={PAGE_COLUMN}>
      <DetailHead
        noun="context"
        back={<Back />}
        name={context.name}
        aside={
          <span className="flex items-center gap-1">
            <Badge tone={context.status === 'ACTIVE' ? 'ok' : 'plain'}>{context.status.toLowerCase()}</Badge>
            <Badge>version {context.version}</Badge>
          </span>
        }
      >
        <div className="ml-2 self-end">
          <TabList
            id="context"
            label="Views of the context"
            tabClassName="h-11 px-3"
            tabs={CONTEXT_VIEWS.map((one) => ({
              value: one,
              label: (
                <>
                  {LABELS[one]}
                  {one === 'editor' && form.dirty && <span className="text-accent"> · unsaved</span>}
                </>
              ),
            }))}
            value={view}
            onChoose={(one) => change({ view: one === 'editor' ? undefined : one })}
          />
        </div>
      </DetailHead>
      <UnsavedGuard unsaved={form.dirty} what={context.name} />
      <TabPanel id="context" value={view} className={cx('flex flex-col -outline-offset-2', PAGE_ROWS)}>
        <Suspense fallback={<SkeletonRows label="Loading the view" />}>
          {view === 'editor' ? (
            <ContextEditor context={context} guarded={form} />
          ) : (
            <ContextVersions context={context} search={search} onChange={change} onRestored={form.restart} />
          )}
        </Suspense>
      </TabPanel>
    </div>
  );
}
