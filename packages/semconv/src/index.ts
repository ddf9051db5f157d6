export { isContentKey } from './content-keys.ts';
export { callIdsOf, stretchesOf } from './content/call-ids.ts';
export { asksForMore, CallResults, givesBack, sentIds, ShownCalls } from './content/call-results.ts';
export { messageIdentity } from './content/identity.ts';
export { MESSAGE_LOG_PREFIX } from './content/log-messages.ts';
export { CONVENTIONS } from './conventions/index.ts';
export {
  type CallReader,
  normaliseLog,
  normaliseSpan,
  readCall,
  readConversation,
  readLogConversation,
} from './normalise.ts';
export { thrownTypeOf } from './facts/facts.ts';
export { isModelOperation, MODEL_OPERATIONS, SEPARATE_OPERATIONS } from './facts/operation.ts';
export { correctedPrice, type PriceCorrection } from './prices/correction.ts';
export { classRate, PRICED_TIERS, tierFactor } from './prices/cost.ts';
export { type PriceEntry, type PriceList, PRICE_LIST, type Rates, type TierRates } from './prices/list.ts';
export { modelNameCandidates } from './prices/model-name.ts';
export { type Price, priceUsage } from './prices/price-usage.ts';
export { textOf } from './facts/values.ts';
export * from './types.ts';
