import { createFileRoute } from '@tanstack/react-router';
import { RulePage } from '../features/rules/rule-page.tsx';
import { validateRuleSearch } from '../features/rules/rules-search.ts';

export const Route = createFileRoute('/rules/$rule')({
  validateSearch: validateRuleSearch,
  staticData: { permission: 'viewer', range: 'shown' },
  component: RulePage,
});
