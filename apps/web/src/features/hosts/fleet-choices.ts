// Apart from what orders and groups the fleet: routes check a link against these before their page is loaded.

export const FLEET_SORTS = [
  'name',
  'utilization',
  'memory',
  'temperature',
  'errors',
  'cpu',
  'uptime',
] as const;
export type FleetSort = (typeof FLEET_SORTS)[number];
export const FLEET_GROUPS = ['none', 'zone', 'model', 'type', 'cluster', 'environment'] as const;
export type FleetGroup = (typeof FLEET_GROUPS)[number];
export const FLEET_SHOWS = ['all', 'gpus', 'attention', 'idle'] as const;
export type FleetShow = (typeof FLEET_SHOWS)[number];
