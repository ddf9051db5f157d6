import type { RequestBodyOf, ResponseOf, Rule, RULE_ROUTES, RuleExplanation } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import type { TimeWindow } from '../lib/time-range.ts';
import { call } from './client.ts';
import { pagesOf } from './pages.ts';

type Routes = typeof RULE_ROUTES;
type Environment = string | undefined;

const RULES = '/api/rule-engine/rules';
const PAGE = 100;
const path = (id: string) => `${RULES}/${encodeURIComponent(id)}`;

/** What all queries of rules begin with. */
export const RULE_KEYS = ['rules'] as const;

/** Rules of the place that the environment leads to, by priority. */
export const rulesQuery = (environment: Environment, filter: { q: string; status: string }, limit = PAGE) =>
  pagesOf([...RULE_KEYS, 'list', environment, filter, limit], ({ cursor }, signal) => {
    const question = new URLSearchParams({ limit: String(limit) });
    if (filter.q !== '') question.set('q', filter.q);
    if (filter.status !== '') question.set('status', filter.status);
    if (cursor !== undefined) question.set('cursor', cursor);
    return call<ResponseOf<Routes['listRules']>>(`${RULES}?${question}`, { environment }, { signal });
  });

export const ruleQuery = (environment: Environment, id: string) =>
  queryOptions({
    queryKey: [...RULE_KEYS, 'one', environment, id],
    queryFn: ({ signal }): Promise<Rule> =>
      call<ResponseOf<Routes['getRule']>>(path(id), { environment }, { signal }).then(
        (answer) => answer.data,
      ),
  });

type RuleBody = RequestBodyOf<Routes['createRule']>;

export const createRuleIn =
  (environment: Environment) =>
  (body: RuleBody): Promise<Rule> =>
    call<ResponseOf<Routes['createRule']>>(RULES, { environment }, { body }).then((answer) => answer.data);

export const replaceRule = (
  environment: Environment,
  id: string,
  body: RequestBodyOf<Routes['replaceRule']>,
): Promise<Rule> =>
  call<ResponseOf<Routes['replaceRule']>>(path(id), { environment }, { method: 'PUT', body }).then(
    (answer) => answer.data,
  );

export const deleteRuleIn = (environment: Environment) => (id: string) =>
  call(path(id), { environment }, { method: 'DELETE' });

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
      call<ResponseOf<Routes['previewRule']>>(
        '/api/rule-engine/preview',
        { environment },
        {
          signal,
          body: {
            rule: definitionBody(rule),
            from: window.fromMs,
            to: window.toMs,
            limit,
          } satisfies RequestBodyOf<Routes['previewRule']>,
        },
      ).then((answer) => answer.data),
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
    queryFn: ({ signal }) => {
      const question = new URLSearchParams({
        field,
        prefix,
        limit: '50',
        from: new Date(window.fromMs).toISOString(),
        to: new Date(window.toMs).toISOString(),
      });
      return call<ResponseOf<Routes['listRuleFieldValues']>>(
        `/api/rule-engine/field-values?${question}`,
        { environment },
        { signal },
      ).then((answer) => answer.data.values);
    },
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
      call<ResponseOf<Routes['explainRule']>>(
        '/api/rule-engine/explain',
        { environment },
        { signal, body: { rule: definitionBody(rule), span } satisfies RequestBodyOf<Routes['explainRule']> },
      ).then((answer) => answer.data),
  });
