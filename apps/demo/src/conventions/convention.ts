import type { Model } from '../models.ts';
import type { Attributes, Kind, Scope } from '../telemetry.ts';

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text, as models write it. */
  readonly arguments: string;
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ToolCall[];
  /** On role `tool`: whose result `text` is. */
  readonly toolCallId?: string;
  readonly toolName?: string;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
}

/** Token counts as the provider's API reports them: `input` includes the cached ones, `output` the reasoning ones. */
export interface Usage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
}

interface ModelResponse {
  readonly id: string;
  readonly message: ChatMessage;
  readonly finishReason: 'stop' | 'length' | 'tool_calls';
  readonly usage: Usage;
  readonly firstTokenMs: number;
  readonly costUsd: number;
}

/** Who is behind a call. Empty text means unknown. */
export interface Who {
  readonly sessionId: string;
  readonly userId: string;
  readonly agentName: string;
}

export interface ModelCall {
  readonly operation: 'chat' | 'embeddings';
  readonly model: Model;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly stream: boolean;
  readonly temperature: number;
  readonly maxTokens: number;
  readonly who: Who;
  readonly promptName: string;
  readonly promptVersion: string;
  /** What the function around the call is named, for conventions that carry it. */
  readonly functionName: string;
  /** Absent on a call that failed. */
  readonly response?: ModelResponse;
}

interface ToolRun {
  readonly call: ToolCall;
  readonly definition: ToolDefinition;
  readonly who: Who;
  readonly result?: string;
}

interface AgentRun {
  readonly who: Who;
  readonly workflow: string;
  readonly input: string;
  readonly model: Model;
  /** Known when the run is over: what it said and the sum over its model calls. */
  readonly output?: string;
  readonly total?: Usage;
}

interface RetrievalRun {
  readonly step: 'retrieve' | 'rerank';
  readonly query: string;
  readonly collection: string;
  readonly model: Model;
  readonly documents: readonly { readonly id: string; readonly text: string; readonly score: number }[];
}

interface Shape {
  readonly name: string;
  readonly kind: Kind;
  readonly scope: Scope;
  readonly attributes: Attributes;
}

/**
 * How one family of instrumentations spells the same facts. Each function is called once at the start of a span
 * (without the outcome) and once at its end (with it); the later attributes are laid over the earlier ones.
 */
export interface Convention {
  readonly id: string;
  model(call: ModelCall): Shape;
  tool(run: ToolRun): Shape;
  agent(run: AgentRun): Shape;
  retrieval(run: RetrievalRun): Shape;
}

/** Undefined for empty text, so that the attribute is left out. */
export const present = (text: string): string | undefined => (text === '' ? undefined : text);

export const systemOf = (messages: readonly ChatMessage[]): string =>
  messages.find((message) => message.role === 'system')?.text ?? '';

export const withoutSystem = (messages: readonly ChatMessage[]): ChatMessage[] =>
  messages.filter((message) => message.role !== 'system');

export const lastUserText = (messages: readonly ChatMessage[]): string =>
  messages.findLast((message) => message.role === 'user')?.text ?? '';
