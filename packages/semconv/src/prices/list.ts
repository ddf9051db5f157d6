/** The price list: facts with source and dates, in USD per million tokens and token class. */
import data from './prices.json' with { type: 'json' };

/** Rates by token class. An absent cache rate means: like fresh input. Absent reasoning: like output. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

/** How a service tier changes the rates: by a factor, or each to its own. */
export type TierRates = { readonly times: number } | Rates;

export interface PriceEntry extends Rates {
  readonly model: string;
  /** Cache writes that are kept for an hour; absent: like `cacheWrite`. */
  readonly cacheWrite1h?: number;
  /** Tokens of sound and pictures; absent: like those of text. */
  readonly inputAudio?: number;
  readonly outputAudio?: number;
  readonly inputImage?: number;
  readonly outputImage?: number;
  /** USD per thousand searches of the web. */
  readonly webSearch?: number;
  /** Rates of the whole call once its input (fresh and cached together) is above so many tokens. */
  readonly longPrompt?: Rates & { readonly above: number };
  /** By service tier (`flex`, `priority`, `batch`). A tier that is none of them has no known price. */
  readonly tiers?: Readonly<Record<string, TierRates>>;
  /** Factor of calls that stay in a region (`us.`, `eu.`), and of those in a region of a government. */
  readonly regional?: { readonly times: number; readonly gov?: number };
  /** Factor in hours of a day, UTC: from the first inclusive to the second exclusive. */
  readonly peak?: {
    readonly times: number;
    readonly hoursUtc: readonly (readonly [number, number])[];
    readonly weekdaysOnly?: boolean;
  };
  /** ISO days: the first on which the rates hold, and the first on which they hold no more. */
  readonly validFrom?: string;
  readonly validTo?: string;
  readonly aliases?: readonly string[];
  /** Absent: text generation. */
  readonly kind?: 'embeddings' | 'rerank';
  /** False where the figure was not seen in a current quotation of the provider's page, but in public price lists. */
  readonly verified?: boolean;
  /** Where the row differs from its provider. */
  readonly source?: string;
  readonly asOf?: string;
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

export const PRICE_LIST = data as unknown as PriceList;
