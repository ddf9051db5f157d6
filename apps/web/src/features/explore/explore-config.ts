import type { RecordKind } from '@candela/contract/filter';

/** What a page explores: whose fields its search box knows and which values its facets panel counts. */
export interface ExploreConfig {
  readonly signal: Exclude<RecordKind, 'metrics'>;
  /** What is counted, in the plural: `spans`. */
  readonly noun: string;
  /** Fields of the facets panel, in its order; also the fields whose values the search box completes. */
  readonly facets: readonly string[];
  /** Those of them that are folded at first. */
  readonly folded?: readonly string[];
  /** An example for the empty search box. */
  readonly placeholder?: string;
}

export const SPANS_EXPLORE = {
  signal: 'spans',
  noun: 'spans',
  facets: ['status', 'service', 'model', 'operation', 'agent', 'tool', 'provider', 'environment', 'name'],
  folded: ['provider', 'environment'],
  placeholder: 'Search: service:checkout model:gpt-4o duration>2s -status:ok "full text"',
} as const satisfies ExploreConfig;
