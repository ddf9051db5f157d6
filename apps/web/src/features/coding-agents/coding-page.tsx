import { getRouteApi } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { lazy, Suspense, useMemo } from 'react';
import type { CodingChoice } from '../../api/coding-agents.ts';
import type { Place } from '../../api/agents.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { PAGE_COLUMN, PAGE_ROWS } from '../../ui/page-column.ts';
import { SkeletonRows } from '../../ui/states.tsx';
import { TabList, TabPanel } from '../../ui/tabs.tsx';
import { useShell } from '../shell/shell-search.ts';
import { CODING_VIEWS } from './choices.ts';
import { CodingSessions } from './coding-sessions.tsx';
import { CodingSummary } from './coding-summary.tsx';
import { CodingUsers } from './coding-users.tsx';
import type { CodingSearch } from './coding-search.ts';

const route = getRouteApi('/coding-agents/');
const LABELS = { summary: 'Summary', sessions: 'Sessions', users: 'Users', disputes: 'Disputes' } as const;
const CodingDisputes = lazy(() => import('./coding-disputes.tsx'));
const FILTERS = { agent: 'Agent', repository: 'Repository', user: 'User' } as const;

/** How a view changes what is in the address. */
export type CodingChange = (next: { [Key in keyof CodingSearch]?: CodingSearch[Key] | undefined }) => void;

export interface CodingView {
  readonly place: Place;
  readonly choice: CodingChoice;
  readonly search: CodingSearch;
  readonly onChange: CodingChange;
}

/** What coding agents did, what it cost, and for whom. */
export function CodingPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { window, environment } = useShell();
  const { agent, user, repository } = search;
  const place: Place = useMemo(() => ({ window, environment }), [window, environment]);
  const choice: CodingChoice = useMemo(() => ({ agent, user, repository }), [agent, user, repository]);
  const onChange: CodingChange = (next) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before });
  const view = search.view ?? 'summary';
  const shown = { place, choice, search, onChange };
  return (
    <div className={PAGE_COLUMN}>
      <title>Coding agents · Candela</title>
      <h1 className="sr-only">Coding agents</h1>
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3">
        <TabList
          id="coding"
          label="Views of coding agents"
          tabClassName="h-10 px-3"
          tabs={CODING_VIEWS.map((value) => ({ value, label: LABELS[value] }))}
          value={view}
          onChoose={(value) => onChange({ view: value === 'summary' ? undefined : value })}
        />
        {(['agent', 'repository', 'user'] as const).map((key) => {
          const value = choice[key];
          return (
            value !== undefined && (
              <button
                key={key}
                type="button"
                aria-label={`Remove the filter ${FILTERS[key]}: ${value}`}
                className="flex h-6 max-w-72 items-center gap-1 rounded-md border border-line bg-surface px-2 text-sm hover:bg-hover"
                onClick={() => onChange({ [key]: undefined })}
              >
                <span className="text-muted">{FILTERS[key]}</span>
                <MiddleTruncation name={value} />
                <X size={12} aria-hidden className="shrink-0" />
              </button>
            )
          );
        })}
      </div>
      <TabPanel id="coding" value={view} className={`${PAGE_ROWS} overflow-y-auto`}>
        {view === 'summary' ? (
          <CodingSummary {...shown} />
        ) : view === 'sessions' ? (
          <CodingSessions {...shown} />
        ) : view === 'users' ? (
          <CodingUsers {...shown} />
        ) : (
          <Suspense fallback={<SkeletonRows label="Loading disputes" />}>
            <CodingDisputes />
          </Suspense>
        )}
      </TabPanel>
    </div>
  );
}
