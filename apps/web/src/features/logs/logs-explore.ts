import type { ExploreConfig } from '../explore/explore-config.ts';

export const LOGS_EXPLORE: ExploreConfig = {
  signal: 'logs',
  noun: 'log records',
  facets: ['severity', 'service', 'event', 'scope_name', 'environment', 'error_type', 'model'],
  folded: ['scope_name', 'environment'],
  placeholder: 'Search: severity>=warn service:checkout body:"card declined" attributes.order.id:4711',
};
