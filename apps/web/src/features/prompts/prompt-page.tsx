import type { Prompt } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { ApiError } from '../../api/client.ts';
import { promptQuery } from '../../api/prompts.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { Badge } from '../../ui/badge.tsx';
import { BackLink, PageHead } from '../../ui/page-head.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { TabList, TabPanel } from '../../ui/tabs.tsx';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { useShell } from '../shell/shell-search.ts';
import { EditorTab } from './editor-tab.tsx';
import { keptPrompts, PROMPT_VIEWS, type PromptSearch } from './prompts-search.ts';
import { useDraft } from './use-draft.ts';

const route = getRouteApi('/prompts/$prompt');
const VersionsTab = lazy(() => import('./versions-tab.tsx'));
const UsageTab = lazy(() => import('./usage-tab.tsx'));
const LABELS = { editor: 'Editor', versions: 'Versions', usage: 'Usage' } as const;

/** One prompt: written and tried, its versions, who fetches it. */
export function PromptPage() {
  const { prompt: id } = route.useParams();
  const { environment } = useShell();
  const navigate = route.useNavigate();
  const query = useQuery(promptQuery(environment, id));
  useHotkey('Escape', () => void navigate({ to: '/prompts', search: keptPrompts.last() }), {
    label: 'Back to the prompts',
    group: 'Prompt',
  });
  if (query.data !== undefined) return <OnePrompt key={query.data.id} prompt={query.data} />;
  return (
    <div className="flex h-full flex-col">
      <Head name={query.isPending ? '' : id} />
      {query.isPending ? (
        <SkeletonRows label="Loading the prompt" />
      ) : query.error instanceof ApiError && query.error.status === 404 ? (
        <Notice title="There is no such prompt here">
          <p>
            It was deleted, or it belongs to another project or environment: both are chosen in the header.
          </p>
        </Notice>
      ) : (
        <Failure error={query.error} onRetry={() => void query.refetch()} />
      )}
    </div>
  );
}

function Head({ name, children, aside }: { name: string; children?: ReactNode; aside?: ReactNode }) {
  return (
    <>
      <title>{`Prompt ${name.slice(0, 60)} · Candela`}</title>
      <PageHead
        back={<BackLink to="/prompts" search={keptPrompts.last()} label="Back to the prompts" />}
        kind="Prompt"
        name={name}
        copy="prompt's name"
        aside={aside}
      >
        {children}
      </PageHead>
    </>
  );
}

function OnePrompt({ prompt }: { prompt: Prompt }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const draft = useDraft(prompt);
  const view = search.view ?? 'editor';
  const change = (next: { [Key in keyof PromptSearch]?: PromptSearch[Key] | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace: true });
  return (
    <div className="flex h-full flex-col">
      <Head
        name={prompt.name}
        aside={
          <span className="flex flex-wrap items-center gap-1">
            {prompt.latestVersion !== null && (
              <Badge tone="ok">
                latest <span className="font-mono">{prompt.latestVersion}</span>
              </Badge>
            )}
            {prompt.draft !== null && <Badge tone="accent">draft</Badge>}
            {prompt.labels.slice(0, 4).map(({ label, version }) => (
              <Badge key={label}>
                {label} <span className="font-mono">{version}</span>
              </Badge>
            ))}
          </span>
        }
      >
        <div className="ml-2 self-end">
          <TabList
            id="prompt"
            label="Views of the prompt"
            tabClassName="h-11 px-3"
            tabs={PROMPT_VIEWS.map((one) => ({
              value: one,
              label:
                one === 'versions' ? (
                  <>
                    {LABELS[one]} <span className="text-muted">{prompt.versions}</span>
                  </>
                ) : (
                  <>
                    {LABELS[one]}
                    {one === 'editor' && draft.dirty && <span className="text-accent"> · unsaved</span>}
                  </>
                ),
            }))}
            value={view}
            onChoose={(one) => change({ view: one === 'editor' ? undefined : one })}
          />
        </div>
      </Head>
      <UnsavedGuard unsaved={draft.dirty} what={prompt.name} />
      <TabPanel id="prompt" value={view} className="flex min-h-0 grow flex-col -outline-offset-2">
        <Suspense fallback={<SkeletonRows label="Loading the view" />}>
          {view === 'editor' && <EditorTab prompt={prompt} draft={draft} />}
          {view === 'versions' && (
            <VersionsTab
              prompt={prompt}
              search={search}
              onChange={change}
              onTake={(content) => {
                draft.change(content);
                change({ view: undefined });
              }}
            />
          )}
          {view === 'usage' && <UsageTab prompt={prompt} />}
        </Suspense>
      </TabPanel>
    </div>
  );
}
