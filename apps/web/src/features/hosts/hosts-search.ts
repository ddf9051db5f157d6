import { isEnvironmentName } from '@candela/kernel';
import { persistedSearch } from '../../lib/persisted-search.ts';
import { choiceParam, textParam } from '../../lib/search-params.ts';
import {
  FLEET_GROUPS,
  FLEET_SHOWS,
  FLEET_SORTS,
  type FleetGroup,
  type FleetShow,
  type FleetSort,
} from './fleet-choices.ts';

/** What the fleet has in its URL besides time range and environment. */
export interface FleetSearch {
  q?: string;
  sort?: Exclude<FleetSort, 'name'>;
  group?: Exclude<FleetGroup, 'none'>;
  show?: Exclude<FleetShow, 'all'>;
  /** The selected tile: host, or host and GPU. */
  row?: string;
}

export function validateFleetSearch(raw: Record<string, unknown>): FleetSearch {
  const q = textParam(raw, 'q', 200);
  const sort = choiceParam(raw, 'sort', FLEET_SORTS);
  const group = choiceParam(raw, 'group', FLEET_GROUPS);
  const show = choiceParam(raw, 'show', FLEET_SHOWS);
  const row = textParam(raw, 'row', 600);
  return {
    ...(q === undefined ? {} : { q }),
    ...(sort === undefined || sort === 'name' ? {} : { sort }),
    ...(group === undefined || group === 'none' ? {} : { group }),
    ...(show === undefined || show === 'all' ? {} : { show }),
    ...(row === undefined ? {} : { row }),
  };
}

export const persistedFleet = persistedSearch(validateFleetSearch);

export const HOST_TABS = ['overview', 'gpus', 'processes', 'calls'] as const;
export type HostTab = (typeof HOST_TABS)[number];

export interface HostSearch {
  tab?: Exclude<HostTab, 'overview'>;
  /** Environment of the host, where another has one of the same name. */
  in?: string;
  /** Words that processes must hold. */
  q?: string;
}

export function validateHostSearch(raw: Record<string, unknown>): HostSearch {
  const tab = choiceParam(raw, 'tab', HOST_TABS);
  const q = textParam(raw, 'q', 200);
  return {
    ...validateGpuSearch(raw),
    ...(tab === undefined || tab === 'overview' ? {} : { tab }),
    ...(q === undefined ? {} : { q }),
  };
}

export function validateGpuSearch(raw: Record<string, unknown>): { in?: string } {
  const environment = textParam(raw, 'in', 63);
  return environment !== undefined && isEnvironmentName(environment) ? { in: environment } : {};
}
