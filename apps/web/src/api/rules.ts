import type { RequestBodyOf, Rule, RULE_ROUTES, RuleExplanation } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import type { TimeWindow } from '../lib/time-range.ts';
import { windowSearch } from './activity.ts';
import { call } from './client.ts';
import { given, pagesOf } from './pages.ts';

type Routes = typeof RULE_ROUTES;
type Environment = string | undefined;

const PAGE = 100;

/** What all queries of rules begin with. */
export const RULE_KEYS = ['rules'] as const;

/** Rules of the place that the environment leads to, by priority. */
export const rulesQuery = (
  environment: Environment,
  filter: { q: string; status: '' | 'ACTIVE' | 'INACTIVE' },
  limit = PAGE,
) =>
  pagesOf([...RULE_KEYS, 'list', environment, filter, limit], ({ cursor }, signal) => {
    return call('listRules', { query: { limit, ...given(filter), cursor }, environment, signal });
  });

export const ruleQuery = (environment: Environment, id: string) =>
  queryOptions({
    queryKey: [...RULE_KEYS, 'one', environment, id],
    queryFn: ({ signal }): Promise<Rule> =>
      call('getRule', { params: { id }, environment, signal }).then((answer) => answer.data),
  });

type RuleBody = RequestBodyOf<Routes['createRule']>;

export const createRuleIn =
  (environment: Environment) =>
  (body: RuleBody): Promise<Rule> =>
    call('createRule', { environment, body }).then((answer) => answer.data);

export const replaceRule = (
  environment: Environment,
  id: string,
  body: RequestBodyOf<Routes['replaceRule']>,
): Promise<Rule> => call('replaceRule', { params: { id }, environment, body }).then((answer) => answer.data);

export const deleteRuleIn = (environment: Environment) => (id: string) =>
  call('deleteRule', { params: { id }, environment });

/** What decides: how the groups are joined, and the groups. */
export interface RuleDefinition {
  readonly groupOperator: Rule['groupOperator'];
  readonly groups: readonly {
    readonly operator: Rule['groupOperator'];
    readonly conditions: readonly Readonly<Rule['groups'][number]['conditions'][number]>[];
  }[];
}

/** The same as a body takes it. */
export const definitionBody = ({
  groupOperator,
  groups,
}: RuleDefinition): Pick<Rule, 'groupOperator' | 'groups'> => ({
  groupOperator,
  groups: groups.map(({ operator, conditions }) => ({ operator, conditions: [...conditions] })),
});

/** What a rule, saved or not, says of the spans of the window; `limit` newest ones are listed. */
export const rulePreviewQuery = (
  environment: Environment,
  window: TimeWindow,
  rule: RuleDefinition,
  limit: number,
) =>
  queryOptions({
    queryKey: ['rule-preview', environment, window, rule, limit],
    staleTime: 60_000,
    retry: false,
    queryFn: ({ signal }) =>
      call('previewRule', {
        environment,
        signal,
        body: {
          rule: definitionBody(rule),
          from: window.fromMs,
          to: window.toMs,
          limit,
        },
      }).then((answer) => answer.data),
  });

/** Values that spans of the window have for a field of a rule, the most frequent first. */
export const ruleFieldValuesQuery = (
  environment: Environment,
  window: TimeWindow,
  field: string,
  prefix: string,
) =>
  queryOptions({
    queryKey: ['rule-field-values', environment, window, field, prefix],
    retry: false,
    queryFn: ({ signal }) =>
      call('listRuleFieldValues', {
        query: { field, prefix, limit: 50, ...windowSearch(window) },
        environment,
        signal,
      }).then((answer) => answer.data.values),
  });

/** Why a rule matches a span or does not. */
export const spanExplanationQuery = (
  environment: Environment,
  rule: RuleDefinition,
  span: { readonly traceId: string; readonly spanId: string },
) =>
  queryOptions({
    queryKey: ['rule-explanation', environment, rule, span],
    retry: false,
    queryFn: ({ signal }): Promise<RuleExplanation> =>
      call('explainRule', { environment, signal, body: { rule: definitionBody(rule), span } }).then(
        (answer) => answer.data,
      ),
  });
