/** Turns the fields a convention found into facts: coercion, canonical names, disjoint usage, the error. */
import type {
  AttributeReader,
  AttributeValue,
  GenAiFacts,
  SpanReader,
  TokenUsage,
  UsageDetails,
} from '../types.ts';
import { countsOf, type ReportedCounts } from './details.ts';
import type { FieldValues } from './fields.ts';
import { canonicalFinishReason, canonicalOperation, isModelOperation } from './operation.ts';
import { firstTokenMs } from './first-token.ts';
import { canonicalServiceTier } from './operation.ts';
import { canonicalProvider, hostProvider, providerOfModel } from './provider.ts';
import { metadataText } from './metadata.ts';
import { disjointUsage } from './usage.ts';
import { amountOf, countOf, firstTextOf, isAbsurdCount, textOf } from './values.ts';

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
  /** Default false: that cost comes from a price list of the emitter. */
  readonly costIsExplicit?: boolean;
  readonly timeToFirstTokenMs?: number | undefined;
  /** `none`: what is reported is not the usage of a call. */
  readonly usage?: 'none';
  /** Counts that the convention keeps elsewhere; they win over the fields. */
  readonly reported?: ReportedCounts | undefined;
  /** Cached input where the fields have none. */
  readonly cached?: { readonly read: number | undefined; readonly write: number | undefined };
  /** Default false, see {@link disjointUsage}. */
  readonly trustTotal?: boolean;
  /** Default true: OpenTelemetry's text and everything derived from OpenAI. */
  readonly inputIncludesCache?: boolean | ((provider: string) => boolean);
  /** Default true. */
  readonly outputIncludesReasoning?: boolean;
}

/** What the facts of a record also follow from. A log record has no duration. */
type Whole = Pick<SpanReader, 'resource' | 'scopeName'> &
  Partial<Pick<SpanReader, 'startTimeUnixNano' | 'endTimeUnixNano'>>;

/** Builds the facts of one span or log record. `rules` win over `fields`. */
export function buildFacts(fields: FieldValues, rules: FactRules, whole: Whole): GenAiFacts {
  const { resource } = whole;
  const operation = rules.operation ?? canonicalOperation(textOf(fields.get('operation')));
  const requestModel = rules.requestModel ?? textOf(fields.get('requestModel'));
  const responseModel = rules.responseModel ?? textOf(fields.get('responseModel'));
  const isModelCall = rules.isModelCall ?? isModelOperation(operation);
  const provider =
    rules.provider ??
    (hostProvider(canonicalProvider(textOf(fields.get('provider'))), textOf(fields.get('serverAddress'))) ||
      canonicalProvider(metadataText(fields, 'provider')) ||
      providerOfModel(requestModel) ||
      providerOfModel(responseModel));
  const counts = new Counts();
  const usage =
    rules.usage === 'none'
      ? undefined
      : usageOf(fields, operation, provider, requestModel || responseModel, rules, counts);
  return {
    convention: rules.convention,
    operation,
    provider,
    requestModel,
    responseModel,
    responseId: textOf(fields.get('responseId')),
    sessionId:
      rules.sessionId ??
      (textOf(fields.get('sessionId')) ||
        metadataText(fields, 'session') ||
        resourceText(resource, RESOURCE_SESSION)),
    userId:
      rules.userId ??
      (textOf(fields.get('userId')) || metadataText(fields, 'user') || resourceText(resource, RESOURCE_USER)),
    agentName: rules.agentName ?? textOf(fields.get('agentName')),
    // A model that asks for a tool has not run it: the tool's name belongs to the execution.
    toolName: isModelCall ? '' : (rules.toolName ?? textOf(fields.get('toolName'))),
    workflowName: rules.workflowName ?? textOf(fields.get('workflowName')),
    promptName: textOf(fields.get('promptName')),
    promptVersion: textOf(fields.get('promptVersion')),
    finishReason: canonicalFinishReason(firstTextOf(fields.get('finishReason'))),
    errorType: rules.errorType ?? textOf(fields.get('errorType')),
    isModelCall,
    usage,
    rejectedCounts: counts.rejected,
    serviceTier: canonicalServiceTier(textOf(fields.get('serviceTier'))),
    emitterCostUsd: emitterCost(rules, fields),
    costIsExplicit: rules.costIsExplicit === true && emitterCost(rules, fields) !== undefined,
    timeToFirstTokenMs:
      'timeToFirstTokenMs' in rules ? rules.timeToFirstTokenMs : firstTokenMs(fields, whole),
  };
}

/** Reads counts and remembers how many were none. */
class Counts {
  rejected = 0;

  /** The first of these that is reported. */
  read(...values: readonly (AttributeValue | undefined)[]): number | undefined {
    for (const value of values) {
      const count = countOf(value);
      if (count !== undefined) return count;
      if (isAbsurdCount(value)) this.rejected += 1;
    }
    return undefined;
  }
}

function usageOf(
  fields: FieldValues,
  operation: string,
  provider: string,
  model: string,
  rules: FactRules,
  counts: Counts,
): TokenUsage | undefined {
  const own = rules.reported;
  const whole = countsOf(fields.get('usageObject'));
  const into = countsOf(fields.get('inputDetails'), 'input');
  const out = countsOf(fields.get('outputDetails'), 'output');
  const total = counts.read(own?.total, fields.get('totalTokens'), whole?.total);
  const input = counts.read(own?.input, fields.get('inputTokens'), whole?.input);
  const includesCache = rules.inputIncludesCache ?? true;
  const hour = counts.read(
    own?.cacheWrite1h,
    fields.get('cacheWrite1hTokens'),
    into?.cacheWrite1h,
    whole?.cacheWrite1h,
  );
  const minutes = counts.read(
    own?.cacheWrite5m,
    fields.get('cacheWrite5mTokens'),
    into?.cacheWrite5m,
    whole?.cacheWrite5m,
  );
  const written = counts.read(
    own?.cacheWrite,
    fields.get('cacheWriteTokens'),
    into?.cacheWrite,
    whole?.cacheWrite,
    rules.cached?.write,
  );
  const reasoning = counts.read(
    own?.reasoning,
    fields.get('reasoningTokens'),
    out?.reasoning,
    whole?.reasoning,
  );
  const beside = reasoning === undefined ? counts.read(fields.get('reasoningBesideTokens')) : undefined;
  // Some name the two kinds of writes only, others leave the sum at 0 then.
  const kinds = (hour ?? 0) + (minutes ?? 0);
  const details: UsageDetails = {
    cacheWrite1h: hour ?? 0,
    inputAudio:
      counts.read(own?.inputAudio, fields.get('inputAudioTokens'), into?.inputAudio, whole?.inputAudio) ?? 0,
    inputImage:
      counts.read(own?.inputImage, fields.get('inputImageTokens'), into?.inputImage, whole?.inputImage) ?? 0,
    outputAudio:
      counts.read(own?.outputAudio, fields.get('outputAudioTokens'), out?.outputAudio, whole?.outputAudio) ??
      0,
    outputImage:
      counts.read(own?.outputImage, fields.get('outputImageTokens'), out?.outputImage, whole?.outputImage) ??
      0,
    webSearches: counts.read(own?.webSearches, fields.get('webSearches'), whole?.webSearches) ?? 0,
  };
  return disjointUsage({
    // An embedding has no output: its total is its input.
    input: input ?? (operation === 'embeddings' ? total : undefined),
    output: counts.read(own?.output, fields.get('outputTokens'), whole?.output),
    total,
    cacheRead: counts.read(
      own?.cacheRead,
      fields.get('cacheReadTokens'),
      into?.cacheRead,
      whole?.cacheRead,
      rules.cached?.read,
    ),
    cacheWrite: kinds > (written ?? 0) ? kinds : written,
    reasoning: reasoning ?? beside,
    inputIncludesCache: typeof includesCache === 'function' ? includesCache(provider) : includesCache,
    outputIncludesReasoning: beside === undefined && (rules.outputIncludesReasoning ?? true),
    trustTotal: rules.trustTotal ?? false,
    totalHasThoughts: provider === 'google' || /gemini/i.test(model),
    details,
  });
}

/** Emitters write 0 for a model they have no price of: that is no statement about cost. */
function emitterCost(rules: FactRules, fields: FieldValues): number | undefined {
  const cost = 'emitterCostUsd' in rules ? rules.emitterCostUsd : amountOf(fields.get('costUsd'));
  return cost === 0 ? undefined : cost;
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
