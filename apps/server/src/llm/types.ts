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
