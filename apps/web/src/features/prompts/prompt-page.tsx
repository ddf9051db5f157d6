import type { Prompt } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { promptQuery } from '../../api/prompts.ts';
import { cx } from '../../lib/cx.ts';
import { Badge } from '../../ui/badge.tsx';
import { BackLink } from '../../ui/page-head.tsx';
import { PAGE_COLUMN, PAGE_ROWS } from '../../ui/page-column.ts';
import { SkeletonRows } from '../../ui/states.tsx';
import { TabList, TabPanel } from '../../ui/tabs.tsx';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { DetailHead, DetailPage } from '../build/detail-page.tsx';
import { useShell } from '../shell/shell-search.ts';
import { EditorTab } from './editor-tab.tsx';
import { persistedPrompts, PROMPT_VIEWS, type PromptSearch } from './prompts-search.ts';
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
  return (
    <DetailPage
      noun="prompt"
      nouns="prompts"
      id={id}
      query={query}
      back={<Back />}
      onBack={() => void navigate({ to: '/prompts', search: persistedPrompts.last() })}
    >
      {(found) => <OnePrompt key={found.id} prompt={found} />}
    </DetailPage>
  );
}

function Back() {
  return <BackLink to="/prompts" search={persistedPrompts.last()} label="Back to the prompts" />;
}

function OnePrompt({ prompt }: { prompt: Prompt }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const draft = useDraft(prompt);
  const view = search.view ?? 'editor';
  const change = (next: { [Key in keyof PromptSearch]?: PromptSearch[Key] | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace: true });
  return (
    <div className={PAGE_COLUMN}>
      <DetailHead
        noun="prompt"
        back={<Back />}
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
      </DetailHead>
      <UnsavedGuard unsaved={draft.dirty} what={prompt.name} />
      <TabPanel id="prompt" value={view} className={cx('flex flex-col -outline-offset-2', PAGE_ROWS)}>
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
