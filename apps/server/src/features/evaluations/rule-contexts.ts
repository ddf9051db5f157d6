import type { SpanDetail } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { Handlers } from '../../http/handlers.ts';

/** Contexts that rules return for what is judged: a judge takes them for true. */
export interface RuleContexts {
  readonly ruleIds: readonly string[];
  readonly contextIds: readonly string[];
  readonly contents: readonly string[];
}
export const NO_CONTEXTS: RuleContexts = { ruleIds: [], contextIds: [], contents: [] };

export type RuleFields = Readonly<Record<string, string | number | boolean>>;

/** Contexts that one judge call is given. */
const MOST_CONTEXTS = 20;
/** Values of fields that rules are asked with are cut: they are compared, not read. */
const MOST_VALUE = 1_000;

/** Asks the rule engine as applications do. */
export interface RuleQuestions {
  /** @throws refused */
  contexts(context: RequestContext, fields: RuleFields): Promise<RuleContexts>;
  /** Whether a rule that matches returns that evaluator. */
  returnsEvaluator(context: RequestContext, fields: RuleFields, evaluator: string): Promise<boolean>;
}

/** @param handlers those of all features; rules are made ready when they are first asked */
export function createRuleQuestions(handlers: () => Pick<Handlers, 'evaluateRules'>): RuleQuestions {
  const ask = (context: RequestContext, entityType: string, fields: RuleFields) =>
    handlers().evaluateRules({
      context,
      body: { entity_type: entityType, fields, include_entity_data: entityType === 'context' },
    } as unknown as Parameters<Handlers['evaluateRules']>[0]);
  return {
    async contexts(context, fields) {
      if (Object.keys(fields).length === 0) return NO_CONTEXTS;
      const { matchingRuleIds, entities, entity_data: data = {} } = await ask(context, 'context', fields);
      const ids = [...new Set(entities.map(({ entity_id }) => entity_id))].slice(0, MOST_CONTEXTS);
      const found = ids.flatMap((id) => {
        const content = (data[`context:${id}`] as { readonly content?: unknown } | null | undefined)?.content;
        return typeof content === 'string' ? [{ id, content }] : [];
      });
      return {
        ruleIds: matchingRuleIds,
        contextIds: found.map(({ id }) => id),
        contents: found.map(({ content }) => content),
      };
    },
    async returnsEvaluator(context, fields, evaluator) {
      const { entities } = await ask(context, 'evaluation', fields);
      return entities.some(({ entity_id }) => entity_id === evaluator);
    },
  };
}

/** What rules are asked with for a span: names that the reference product's rules use, and the short ones. */
export function ruleFieldsOf(span: SpanDetail): RuleFields {
  const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
  const model = span.responseModel ?? span.requestModel;
  const all: Readonly<Record<string, string | number | null | undefined>> = {
    ServiceName: span.service,
    SpanName: span.name,
    SpanKind: capital(span.kind),
    StatusCode: capital(span.status),
    'service.name': span.service,
    'deployment.environment': span.environment,
    'deployment.environment.name': span.environment,
    'gen_ai.system': span.provider,
    'gen_ai.provider.name': span.provider,
    'gen_ai.operation.name': span.operation,
    'gen_ai.request.model': span.requestModel,
    'gen_ai.response.model': span.responseModel,
    service: span.service,
    environment: span.environment,
    name: span.name,
    kind: span.kind,
    status: span.status,
    provider: span.provider,
    operation: span.operation,
    model,
    agent: span.agent,
    tool: span.tool,
    user: span.userId,
    session: span.sessionId,
    prompt_name: span.promptName,
    prompt_version: span.promptVersion,
    duration_ms: span.durationMs,
    cost: span.costUsd,
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([key, value]) =>
      value === null || value === undefined || value === ''
        ? []
        : [[key, typeof value === 'string' ? value.slice(0, MOST_VALUE) : value]],
    ),
  );
}
