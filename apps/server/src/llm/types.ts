import type { ModelProvider } from '@candela/contract';
import type { LanguageModel } from 'ai';

/** Where a model is and with what key it is asked. */
export interface LlmTarget {
  readonly provider: ModelProvider;
  readonly model: string;
  /** Null: the vendor's own address. */
  readonly baseUrl: string | null;
  /** Only ever this one: nothing is read from the environment. Null: the server wants none. */
  readonly apiKey: string | null;
}

/** What a provider makes its model of. The key is never empty: the SDKs would look for one in the environment. */
export interface LlmConnection {
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: typeof globalThis.fetch;
}

/** A vendor, or a way to speak to servers. */
export interface LlmProvider {
  readonly id: ModelProvider;
  /** Null: there is no address of its own. */
  readonly baseUrl: string | null;
  /** The name it has in the price list; null: its models have no price that is known. */
  readonly priceProvider: string | null;
  /** Loads the vendor's SDK at its first use: most installations never ask a model. */
  open(connection: LlmConnection): Promise<LanguageModel>;
  /** Options that are sent along, by the SDK's name of the provider. */
  readonly options?: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>;
}

/** Why an answer ended. */
export type LlmFinish = 'stop' | 'length' | 'content_filter' | 'tool_calls' | 'other';

/** A part of a conversation. `system` messages come first. */
export type LlmMessage =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly toolCalls?: readonly Pick<LlmToolCall, 'id' | 'name' | 'input'>[];
    }
  /** The answer to one call of the assistant message before it. */
  | {
      readonly role: 'tool';
      readonly id: string;
      readonly name: string;
      readonly output: string;
      readonly isError?: boolean;
    };

/** A tool that a model may ask for. */
export interface LlmTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. The input is not checked against it: whoever runs the tool does. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** A model asks for a tool. */
export interface LlmToolCall {
  readonly kind: 'tool-call';
  readonly id: string;
  readonly name: string;
  /** As the model wrote it. */
  readonly input: unknown;
  /** Why it cannot be run: answer with this as an error. Null: nothing is known against it. */
  readonly invalid: string | null;
}
