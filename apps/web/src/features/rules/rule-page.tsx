import type { Rule } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { ruleQuery } from '../../api/rules.ts';
import { Badge } from '../../ui/badge.tsx';
import { BackLink } from '../../ui/page-head.tsx';
import { PAGE_COLUMN } from '../../ui/page-column.ts';
import { SkeletonRows } from '../../ui/states.tsx';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { DetailHead, DetailPage } from '../build/detail-page.tsx';
import { useShell } from '../shell/shell-search.ts';
import { persistedRules } from './rules-search.ts';
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
  return (
    <DetailPage
      noun="rule"
      nouns="rules"
      id={id}
      query={query}
      back={<Back />}
      onBack={() => void navigate({ to: '/rules', search: persistedRules.last() })}
    >
      {(found) => <OneRule key={found.id} rule={found} />}
    </DetailPage>
  );
}

function Back() {
  return <BackLink to="/rules" search={persistedRules.last()} label="Back to the rules" />;
}

function OneRule({ rule }: { rule: Rule }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const form = useRuleForm(rule);
  return (
    <div className={PAGE_COLUMN}>
      <DetailHead
        noun="rule"
        back={<Back />}
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
