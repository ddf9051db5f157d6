import { persistedSearch } from '../../lib/persisted-search.ts';
import { choiceParam, textParam } from '../../lib/search-params.ts';

export const STATUSES = ['ACTIVE', 'INACTIVE'] as const;

/** What the list of rules has in its URL. */
export interface RulesSearch {
  /** Text in name or description. */
  search?: string;
  status?: (typeof STATUSES)[number];
  /** Id of the selected row. */
  row?: string;
}

export function validateRulesSearch(raw: Record<string, unknown>): RulesSearch {
  const search = textParam(raw, 'search', 200);
  const status = choiceParam(raw, 'status', STATUSES);
  const row = textParam(raw, 'row', 64);
  return {
    ...(search === undefined ? {} : { search }),
    ...(status === undefined ? {} : { status }),
    ...(row === undefined ? {} : { row }),
  };
}

export const persistedRules = persistedSearch(validateRulesSearch);

export const RULE_VIEWS = ['preview', 'try'] as const;

/** What the page of a rule has in its URL. */
export interface RuleSearch {
  /** Beside the conditions: what they match, or a trial of fields. */
  view?: (typeof RULE_VIEWS)[number];
  /** The span that is tried: `<trace id>.<span id>`. */
  span?: string;
}

export interface SpanPlace {
  readonly traceId: string;
  readonly spanId: string;
}

const SPAN = /^([0-9a-f]{32})\.([0-9a-f]{16})$/;

/** The span that an address names. */
export function spanOf(text: string): SpanPlace | undefined {
  const [, traceId, spanId] = SPAN.exec(text.trim().toLowerCase()) ?? [];
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId };
}

export function validateRuleSearch(raw: Record<string, unknown>): RuleSearch {
  const view = choiceParam(raw, 'view', RULE_VIEWS);
  const span = textParam(raw, 'span', 49);
  return {
    ...(view === undefined || view === 'preview' ? {} : { view }),
    ...(span === undefined || spanOf(span) === undefined ? {} : { span }),
  };
}
