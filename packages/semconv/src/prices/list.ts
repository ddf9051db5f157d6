/** The price list: facts with source and date per provider, in USD per million tokens and token class. */
import data from './prices.json' with { type: 'json' };

/** Rates by token class. An absent cache rate means: like fresh input. Absent reasoning: like output. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

export interface PriceEntry extends Rates {
  readonly model: string;
  /** Rates of the whole call once its input (fresh and cached together) is above so many tokens. */
  readonly longPrompt?: Rates & { readonly above: number };
  readonly aliases?: readonly string[];
  /** Absent: text generation. */
  readonly kind?: 'embeddings' | 'rerank';
  /** False where the figure was not seen in a current quotation of the provider's page. */
  readonly verified?: boolean;
}

interface ProviderPrices {
  readonly provider: string;
  /** The provider's own price page. */
  readonly source: string;
  /** ISO date of the figures. */
  readonly asOf: string;
  /** True for those who host other people's models: their rates are theirs alone. */
  readonly host?: boolean;
  readonly note?: string;
  readonly models: readonly PriceEntry[];
}

export interface PriceList {
  readonly currency: 'USD';
  readonly unit: 'million tokens';
  readonly providers: readonly ProviderPrices[];
}

export const PRICE_LIST = data as PriceList;
