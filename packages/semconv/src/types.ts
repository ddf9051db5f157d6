/**
 * An attribute value as OTLP can carry it. 64-bit integers that fit a double without loss are `number`, others
 * `bigint`. Maps, never plain objects: a key named `__proto__` is just a key.
 */
export type AttributeValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | Uint8Array
  | readonly AttributeValue[]
  | ReadonlyMap<string, AttributeValue>;

export type Attributes = ReadonlyMap<string, AttributeValue>;

/**
 * What the normaliser needs of an attribute set. A `Map` is one; so is the decoder's lazy list, which turns bytes
 * into strings only for the keys that are asked for.
 */
export interface AttributeReader {
  get(key: string): AttributeValue | undefined;
  has(key: string): boolean;
  keys(): Iterable<string>;
}

export interface SpanEvent {
  readonly name: string;
  readonly timeUnixNano: bigint;
  readonly attributes: AttributeReader;
}

/** A span as a GenAI convention sees it. */
export interface SpanReader {
  readonly name: string;
  readonly scopeName: string;
  /** 0 unset, 1 ok, 2 error. */
  readonly statusCode: number;
  readonly statusMessage: string;
  readonly startTimeUnixNano: bigint;
  readonly endTimeUnixNano: bigint;
  readonly attributes: AttributeReader;
  readonly resource: AttributeReader;
  readonly events: readonly SpanEvent[];
}

/**
 * A log record as a GenAI convention sees it. `body` is undefined when it is no text; of a stored record, a body that
 * was no text is its JSON.
 */
export interface LogReader {
  readonly eventName: string;
  readonly scopeName: string;
  readonly body: string | undefined;
  readonly attributes: AttributeReader;
  readonly resource: AttributeReader;
}

/** Tokens that a price list may tell apart within a class, and what is billed by the piece. All are optional: 0 when absent. */
export interface UsageDetails {
  /** Part of `cacheWrite`: kept for an hour, not for five minutes. */
  readonly cacheWrite1h?: number;
  /** Parts of `input`. */
  readonly inputAudio?: number;
  readonly inputImage?: number;
  /** Parts of `output`. */
  readonly outputAudio?: number;
  readonly outputImage?: number;
  /** Searches of the web that the provider ran; no tokens. */
  readonly webSearches?: number;
}

/** Disjoint token classes: no token is in two of them. */
export interface TokenUsage {
  /** Fresh input: neither read from nor written to a cache. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Output without reasoning. */
  readonly output: number;
  readonly reasoning: number;
  readonly details?: UsageDetails;
}

/**
 * The promoted facts of one span or log record: scalars only, cheap enough for the ingest path. Empty string means
 * absent, as in the columns they go to.
 */
export interface GenAiFacts {
  /** Id of the convention that matched, e.g. `openinference`. */
  readonly convention: string;
  /** `chat`, `text_completion`, `embeddings`, `execute_tool`, `invoke_agent`, `retrieval`, ... */
  readonly operation: string;
  readonly provider: string;
  readonly requestModel: string;
  readonly responseModel: string;
  readonly responseId: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly agentName: string;
  readonly toolName: string;
  readonly workflowName: string;
  readonly promptName: string;
  readonly promptVersion: string;
  readonly finishReason: string;
  readonly errorType: string;
  /** True for a call to a model (chat, completion, embeddings, image, audio): only these may count usage. */
  readonly isModelCall: boolean;
  /** Undefined when the emitter reported none. */
  readonly usage: TokenUsage | undefined;
  /** Counts that were reported and are none (negative, absurd, no number): left out of `usage`. */
  readonly rejectedCounts: number;
  /** How the provider served the call: `flex`, `priority`, `batch`, ...; '' for the standard tier. */
  readonly serviceTier: string;
  /** What the emitter itself says the call cost, in USD. */
  readonly emitterCostUsd: number | undefined;
  /** Whether a person set that cost, not a price list of the emitter. */
  readonly costIsExplicit: boolean;
  readonly timeToFirstTokenMs: number | undefined;
}

export type MessagePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** The model would not answer, and said so. */
  | { readonly type: 'refusal'; readonly text: string }
  /** What a text rests on: where it is and the words taken from there; any of them may be empty. */
  | { readonly type: 'citation'; readonly title: string; readonly uri: string; readonly text: string }
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; readonly arguments: string }
  | {
      readonly type: 'tool_result';
      readonly id: string;
      readonly name: string;
      readonly result: string;
      /** The tool says that it failed; `result` tells how. */
      readonly failed?: true;
    }
  | { readonly type: 'media'; readonly modality: string; readonly mimeType: string; readonly uri: string }
  | { readonly type: 'json'; readonly json: string };

export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool' | (string & {});
  readonly name?: string;
  readonly finishReason?: string;
  readonly parts: readonly MessagePart[];
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON schema as text, verbatim. */
  readonly parameters: string;
}

export interface Score {
  readonly name: string;
  readonly value: number | undefined;
  readonly label: string;
  readonly explanation: string;
  readonly idempotencyKey: string;
}

/** The conversation of one span, one model for every convention. Computed on reading, never stored. */
export interface Conversation {
  readonly input: readonly Message[];
  readonly output: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  /** Arguments and result of a tool execution span. */
  readonly toolExecution:
    | { readonly callId: string; readonly arguments: string; readonly result: string }
    | undefined;
  readonly retrievedDocuments: readonly {
    readonly id: string;
    readonly content: string;
    readonly score: number | undefined;
  }[];
  readonly scores: readonly Score[];
}

/** One GenAI convention: how one family of emitters spells the same facts. */
export interface Convention {
  readonly id: string;
  /** Keys of which at least one is on every span of the convention: the cheap filter before `detect`. */
  readonly triggers: readonly string[];
  /** By the presence of keys, never by scope name alone. */
  detect(span: SpanReader): boolean;
  facts(span: SpanReader): GenAiFacts;
  conversation(span: SpanReader): Conversation;
}
