import type { ModelProvider } from '@candela/contract';
import type { LlmEvent } from './ask.ts';

type LlmEnd = Extract<LlmEvent, { readonly kind: 'end' }>;

/** How a call ended. `left`: whoever asked did not wait for the end. */
export type CallOutcome =
  | (Omit<LlmEnd, 'kind'> & { readonly kind: 'done'; readonly firstTokenMs: number | null })
  | { readonly kind: 'failed'; readonly code: string }
  | { readonly kind: 'left' };

/** What is recorded of a call: no text that was sent and none that came. */
export interface RecordedCall {
  readonly feature: string;
  readonly attributes: Readonly<Record<string, string | number | null>>;
  readonly environment: string;
  readonly provider: ModelProvider;
  readonly model: string;
  readonly temperature: number | null;
  readonly maxOutputTokens: number;
  /** Epoch milliseconds. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly outcome: CallOutcome;
}

/** The service of the spans of Candela's own calls. */
export const OWN_SERVICE = 'candela';

/** As the semantic conventions of GenAI name them. */
const PROVIDER_NAMES: Readonly<Record<ModelProvider, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'gcp.gemini',
  mistral: 'mistral_ai',
  'openai-compatible': 'openai-compatible',
};

type Value = string | number | readonly string[];

const toOtlp = (value: Value): object => {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value !== 'number') {
    return { arrayValue: { values: value.map((text) => ({ stringValue: text })) } };
  }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
};

const attributesOf = (pairs: Readonly<Record<string, Value | null>>) =>
  Object.entries(pairs).flatMap(([key, value]) => (value === null ? [] : [{ key, value: toOtlp(value) }]));

const hex = (bytes: number): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex');
const nanos = (ms: number): string => `${BigInt(Math.round(ms)) * 1_000_000n}`;

/** The request of OTLP/JSON with one span that says what a call asked for, took and cost. */
export function callSpan(call: RecordedCall): object {
  const { outcome } = call;
  const done = outcome.kind === 'done' ? outcome : undefined;
  const usage = done?.usage ?? null;
  const span = {
    traceId: hex(16),
    spanId: hex(8),
    name: `chat ${call.model}`,
    kind: 3,
    startTimeUnixNano: nanos(call.startedAtMs),
    endTimeUnixNano: nanos(Math.max(call.startedAtMs, call.endedAtMs)),
    attributes: attributesOf({
      'platform.feature': call.feature,
      ...call.attributes,
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': PROVIDER_NAMES[call.provider],
      'gen_ai.request.model': call.model,
      'gen_ai.request.temperature': call.temperature,
      'gen_ai.request.max_tokens': call.maxOutputTokens,
      // These totals hold their parts, as the conventions have it.
      'gen_ai.usage.input_tokens': usage && usage.input + usage.cacheRead + usage.cacheWrite,
      'gen_ai.usage.cache_read.input_tokens': usage && usage.cacheRead,
      'gen_ai.usage.cache_creation.input_tokens': usage && usage.cacheWrite,
      'gen_ai.usage.output_tokens': usage && usage.output + usage.reasoning,
      'gen_ai.usage.reasoning.output_tokens': usage && usage.reasoning,
      'gen_ai.response.finish_reasons': done ? [done.finish] : outcome.kind === 'left' ? ['cancelled'] : null,
      'gen_ai.response.time_to_first_chunk':
        typeof done?.firstTokenMs === 'number' ? done.firstTokenMs / 1_000 : null,
      'error.type': outcome.kind === 'failed' ? outcome.code : null,
    }),
    // Without the sentence: in it is what the vendor said, who may have repeated the prompt.
    status: outcome.kind === 'failed' ? { code: 2 } : {},
  };
  return {
    resourceSpans: [
      {
        resource: {
          attributes: attributesOf({
            'service.name': OWN_SERVICE,
            'deployment.environment.name': call.environment,
          }),
        },
        scopeSpans: [{ scope: { name: 'candela' }, spans: [span] }],
      },
    ],
  };
}
