/** One spelling for operations and finish reasons. */

const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ['embedding', 'embeddings'],
  ['embed', 'embeddings'],
  ['completion', 'text_completion'],
  ['completions', 'text_completion'],
  ['text_generation', 'text_completion'],
  ['llm_call', 'chat'],
  ['llm', 'chat'],
  ['generation', 'chat'],
  ['chat_completion', 'chat'],
  ['response', 'chat'],
  ['responses', 'chat'],
  ['generate', 'chat'],
  ['generate_content', 'chat'],
  ['tool_call', 'execute_tool'],
  ['tool', 'execute_tool'],
  ['agent', 'invoke_agent'],
  ['workflow', 'invoke_workflow'],
  ['retriever', 'retrieval'],
  ['retrieve', 'retrieval'],
  ['vectordb', 'retrieval'],
  ['reranker', 'rerank'],
  ['image_generation', 'image'],
  ['speech', 'audio'],
  ['transcription', 'audio'],
  ['transcribe', 'audio'],
  ['chat_model', 'chat'],
  ['embedder', 'embeddings'],
]);

/** Canonical operations that are a call to a model. */
export const MODEL_OPERATIONS: readonly string[] = [
  'chat',
  'text_completion',
  'embeddings',
  'rerank',
  'image',
  'audio',
  'video',
  'translate',
  'moderation',
  'realtime',
];
/** Those of them that are never a part of a call of another operation: each has a usage of its own. The others make text. */
export const SEPARATE_OPERATIONS: readonly string[] = [
  'embeddings',
  'rerank',
  'image',
  'audio',
  'video',
  'translate',
  'moderation',
];
const MODEL_CALLS: ReadonlySet<string> = new Set(MODEL_OPERATIONS);

const FINISH_REASONS: ReadonlyMap<string, string> = new Map([
  ['tool-calls', 'tool_calls'],
  ['tool_call', 'tool_calls'],
  ['tool_use', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['tooluse', 'tool_calls'],
  ['end_turn', 'stop'],
  ['endturn', 'stop'],
  ['completed', 'stop'],
  ['complete', 'stop'],
  ['stop_sequence', 'stop'],
  ['eos', 'stop'],
  ['max_tokens', 'length'],
  ['max-tokens', 'length'],
  ['max_output_tokens', 'length'],
  ['model_length', 'length'],
  ['incomplete', 'length'],
  ['content-filter', 'content_filter'],
  ['safety', 'content_filter'],
  ['refusal', 'content_filter'],
  ['failed', 'error'],
  ['toolcalls', 'tool_calls'],
  ['contentfilter', 'content_filter'],
  ['maxtokens', 'length'],
]);

const STANDARD_TIERS: ReadonlySet<string> = new Set([
  'default',
  'auto',
  'standard',
  'standard_only',
  'on_demand',
  'none',
]);

/** How a provider served a call: `flex`, `priority`, `batch`; '' for the standard tier, whatever it is called. */
export function canonicalServiceTier(tier: string): string {
  const lower = tier.toLowerCase().slice(0, 64);
  return STANDARD_TIERS.has(lower) ? '' : lower;
}

/** `embedding` becomes `embeddings`, `llm_call` becomes `chat`; unknown names stay, in lower case. */
export function canonicalOperation(name: string): string {
  const lower = name.toLowerCase();
  return OPERATIONS.get(lower) ?? lower;
}

/** Is this canonical operation a call to a model, whose tokens count? */
export const isModelOperation = (operation: string): boolean => MODEL_CALLS.has(operation);

/** `tool-calls`, `tool_use` become `tool_calls`; `end_turn` becomes `stop`; unknown reasons stay, in lower case. */
export function canonicalFinishReason(reason: string): string {
  // `FinishReason.STOP` is how Python writes the member of an enum.
  const lower = reason.toLowerCase().replace(/^finish_?reason[._]/, '');
  return FINISH_REASONS.get(lower) ?? lower;
}
