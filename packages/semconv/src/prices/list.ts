/** The price list: facts with source and date per provider, in USD per million tokens and token class. */
import data from './prices.json' with { type: 'json' };

export interface PriceEntry {
  readonly model: string;
  /** USD per million tokens. */
  readonly input: number;
  readonly output: number;
  /** Absent: read like fresh input. */
  readonly cacheRead?: number;
  /** Absent: like fresh input. */
  readonly cacheWrite?: number;
  /** Absent: like output. */
  readonly reasoning?: number;
  readonly aliases?: readonly string[];
  readonly kind?: 'embeddings' | 'rerank';
  /** False where the figure was not checked against the provider's page. */
  readonly verified?: boolean;
}

export interface ProviderPrices {
  readonly provider: string;
  readonly source: string;
  /** ISO date of the figures. */
  readonly asOf: string;
  readonly models: readonly PriceEntry[];
}

export interface PriceList {
  readonly currency: 'USD';
  readonly unit: 'million tokens';
  readonly providers: readonly ProviderPrices[];
}

export const PRICE_LIST: PriceList = data as PriceList;
