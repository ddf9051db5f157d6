/** Calls of language models that features of the platform made; one row a call. No text that was sent or came. */
export interface LlmUsageTable {
  id: string;
  feature: string;
  provider: string;
  model: string;
  model_id: string | null;
  project_id: string;
  environment: string | null;
  /** `user u1`, `key k1`, `system platform`. */
  principal: string;
  /** What the call was for, as its feature names it: an evaluator, a chat. */
  ref_id: string | null;
  input_tokens: number | null;
  cache_read_tokens: number | null;
  cache_write_tokens: number | null;
  output_tokens: number | null;
  reasoning_tokens: number | null;
  /** Billionths of a US dollar; null: no price is known, or the call said no usage. */
  cost_nano_usd: number | null;
  /** `ok`, `failed` or `cancelled`. */
  status: string;
  error_code: string | null;
  started_at: number;
  duration_ms: number;
}
