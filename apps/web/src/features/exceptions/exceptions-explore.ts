import type { ExploreConfig } from '../explore/explore-config.ts';

export const EXCEPTIONS_EXPLORE: ExploreConfig = {
  signal: 'exceptions',
  noun: 'exceptions',
  facets: ['error_type', 'service', 'model', 'agent', 'tool', 'environment', 'name'],
  folded: ['environment', 'name'],
  placeholder: 'Search: error_type:*Timeout* service:checkout model:gpt-4o "connection refused"',
};
