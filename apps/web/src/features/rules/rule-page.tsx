import type { Rule } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { ApiError } from '../../api/client.ts';
import { ruleQuery } from '../../api/rules.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { Badge } from '../../ui/badge.tsx';
import { BackLink, PageHead } from '../../ui/page-head.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { useShell } from '../shell/shell-search.ts';
import { keptRules } from './rules-search.ts';
import { useRuleForm } from './use-rule-form.ts';

const route = getRouteApi('/rules/$rule');
// With it come the operators, and with these the library of regular expressions.
const RuleEditor = lazy(() => import('./rule-editor.tsx'));

/** One rule: its conditions, what they match, what it hands out. */
export function RulePage() {
  const { rule: id } = route.useParams();
  const { environment } = useShell();
  const navigate = route.useNavigate();
  const query = useQuery(ruleQuery(environment, id));
  useHotkey('Escape', () => void navigate({ to: '/rules', search: keptRules.last() }), {
    label: 'Back to the rules',
    group: 'Rule',
  });
  if (query.data !== undefined) return <OneRule key={query.data.id} rule={query.data} />;
  return (
    <div className="flex h-full flex-col">
      <Head name={query.isPending ? '' : id} />
      {query.isPending ? (
        <SkeletonRows label="Loading the rule" />
      ) : query.error instanceof ApiError && query.error.status === 404 ? (
        <Notice title="There is no such rule here">
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

function Head({ name, aside }: { name: string; aside?: ReactNode }) {
  return (
    <>
      <title>{`Rule ${name.slice(0, 60)} · Candela`}</title>
      <PageHead
        back={<BackLink to="/rules" search={keptRules.last()} label="Back to the rules" />}
        kind="Rule"
        name={name}
        copy="rule's name"
        aside={aside}
      />
    </>
  );
}

function OneRule({ rule }: { rule: Rule }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const form = useRuleForm(rule);
  return (
    <div className="flex h-full flex-col">
      <Head
        name={rule.name}
        aside={
          <span className="flex items-center gap-1">
            <Badge tone={rule.status === 'ACTIVE' ? 'ok' : 'plain'}>{rule.status.toLowerCase()}</Badge>
            <Badge>priority {rule.priority}</Badge>
          </span>
        }
      />
      <UnsavedGuard unsaved={form.dirty} what={rule.name} />
      <Suspense fallback={<SkeletonRows label="Loading the editor" />}>
        <RuleEditor
          rule={rule}
          guarded={form}
          search={search}
          onSearch={(next) =>
            void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace: true })
          }
        />
      </Suspense>
    </div>
  );
}
