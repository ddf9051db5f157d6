/** Turns the fields a convention found into facts: coercion, canonical names, disjoint usage, the error. */
import type { AttributeReader, AttributeValue, GenAiFacts, SpanReader, TokenUsage } from '../types.ts';
import type { FieldValues } from './fields.ts';
import { canonicalFinishReason, canonicalOperation, isModelOperation } from './operation.ts';
import { canonicalProvider, providerOfModel } from './provider.ts';
import { disjointUsage } from './usage.ts';
import { amountOf, countOf, firstTextOf, textOf } from './values.ts';

/** What a convention knows better than the plain fields. Every member is optional. */
export interface FactRules {
  readonly convention: string;
  readonly operation?: string;
  readonly isModelCall?: boolean;
  readonly provider?: string;
  readonly requestModel?: string;
  readonly responseModel?: string;
  readonly agentName?: string;
  readonly toolName?: string;
  readonly sessionId?: string;
  readonly userId?: string;
  readonly workflowName?: string;
  readonly errorType?: string;
  readonly emitterCostUsd?: number | undefined;
  readonly timeToFirstTokenMs?: number | undefined;
  readonly usage?: TokenUsage | undefined;
  /** Cached input where the fields have none. */
  readonly cached?: { readonly read: number | undefined; readonly write: number | undefined };
  /** Default true: OpenTelemetry's text and everything derived from OpenAI. */
  readonly inputIncludesCache?: boolean | ((provider: string) => boolean);
  /** Default true. */
  readonly outputIncludesReasoning?: boolean;
}

const NO_RESOURCE: AttributeReader = new Map<string, AttributeValue>();

/** Builds the facts of one span or log record. `rules` win over `fields`. */
export function buildFacts(
  fields: FieldValues,
  rules: FactRules,
  resource: AttributeReader = NO_RESOURCE,
): GenAiFacts {
  const operation = rules.operation ?? canonicalOperation(textOf(fields.get('operation')));
  const requestModel = rules.requestModel ?? textOf(fields.get('requestModel'));
  const responseModel = rules.responseModel ?? textOf(fields.get('responseModel'));
  const isModelCall = rules.isModelCall ?? isModelOperation(operation);
  const provider =
    rules.provider ??
    (canonicalProvider(textOf(fields.get('provider'))) ||
      providerOfModel(requestModel) ||
      providerOfModel(responseModel));
  return {
    convention: rules.convention,
    operation,
    provider,
    requestModel,
    responseModel,
    responseId: textOf(fields.get('responseId')),
    sessionId:
      rules.sessionId ?? (textOf(fields.get('sessionId')) || resourceText(resource, RESOURCE_SESSION)),
    userId: rules.userId ?? (textOf(fields.get('userId')) || resourceText(resource, RESOURCE_USER)),
    agentName: rules.agentName ?? textOf(fields.get('agentName')),
    // A model that asks for a tool has not run it: the tool's name belongs to the execution.
    toolName: isModelCall ? '' : (rules.toolName ?? textOf(fields.get('toolName'))),
    workflowName: rules.workflowName ?? textOf(fields.get('workflowName')),
    promptName: textOf(fields.get('promptName')),
    promptVersion: textOf(fields.get('promptVersion')),
    finishReason: canonicalFinishReason(firstTextOf(fields.get('finishReason'))),
    errorType: rules.errorType ?? textOf(fields.get('errorType')),
    isModelCall,
    usage: 'usage' in rules ? rules.usage : usageOf(fields, operation, provider, rules),
    emitterCostUsd: emitterCost(rules, fields),
    timeToFirstTokenMs: 'timeToFirstTokenMs' in rules ? rules.timeToFirstTokenMs : firstTokenMs(fields),
  };
}

function usageOf(
  fields: FieldValues,
  operation: string,
  provider: string,
  rules: FactRules,
): TokenUsage | undefined {
  const total = countOf(fields.get('totalTokens'));
  const input = countOf(fields.get('inputTokens'));
  const includesCache = rules.inputIncludesCache ?? true;
  return disjointUsage({
    // An embedding has no output: its total is its input.
    input: input ?? (operation === 'embeddings' ? total : undefined),
    output: countOf(fields.get('outputTokens')),
    total,
    cacheRead: countOf(fields.get('cacheReadTokens')) ?? rules.cached?.read,
    cacheWrite: countOf(fields.get('cacheWriteTokens')) ?? rules.cached?.write,
    reasoning: countOf(fields.get('reasoningTokens')),
    inputIncludesCache: typeof includesCache === 'function' ? includesCache(provider) : includesCache,
    outputIncludesReasoning: rules.outputIncludesReasoning ?? true,
  });
}

/** Emitters write 0 for a model they have no price of: that is no statement about cost. */
function emitterCost(rules: FactRules, fields: FieldValues): number | undefined {
  const cost = 'emitterCostUsd' in rules ? rules.emitterCostUsd : amountOf(fields.get('costUsd'));
  return cost === 0 ? undefined : cost;
}

function firstTokenMs(fields: FieldValues): number | undefined {
  const ms = amountOf(fields.get('firstTokenMs'));
  if (ms !== undefined) return ms;
  const seconds = amountOf(fields.get('firstTokenSeconds'));
  return seconds === undefined ? undefined : seconds * 1000;
}

const RESOURCE_SESSION = ['session.id', 'coding_agent.session.id', 'gen_ai.conversation.id'];
const RESOURCE_USER = ['user.id', 'gen_ai.user.name', 'enduser.id'];

function resourceText(resource: AttributeReader, keys: readonly string[]): string {
  for (const key of keys) {
    if (!resource.has(key)) continue;
    const text = textOf(resource.get(key));
    if (text !== '') return text;
  }
  return '';
}

/** Error of a span: `error.type`, else the exception event's type, else `_OTHER` when the status says error. */
export function errorTypeOf(span: SpanReader, fields: FieldValues): string {
  const named = textOf(fields.get('errorType'));
  if (named !== '' || span.statusCode !== 2) return named;
  return thrownTypeOf(span) || '_OTHER';
}

/** The type that the last exception event of a span names; '' without one. */
export function thrownTypeOf({ events }: Pick<SpanReader, 'events'>): string {
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events[index];
    if (event?.name !== 'exception') continue;
    const type = textOf(event.attributes.get('exception.type'));
    if (type !== '') return type;
  }
  return '';
}
