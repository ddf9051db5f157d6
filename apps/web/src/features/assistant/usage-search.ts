import { choiceParam, textParam } from '../../lib/search-params.ts';

/** What the page of usage has in its address. */
export const validateUsageSearch = (raw: Record<string, unknown>) => ({
  window: choiceParam(raw, 'window', ['24H', '7D', '1M', '3M', 'CUSTOM']),
  by: choiceParam(raw, 'by', ['feature', 'provider', 'model', 'date']),
  from: textParam(raw, 'from', 40),
  to: textParam(raw, 'to', 40),
});
export type UsageSearch = Partial<ReturnType<typeof validateUsageSearch>>;
