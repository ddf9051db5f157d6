import type { RoutedSignal } from '@candela/contract';
import type { CandelaError, Signal } from '@candela/kernel';
import type { Split } from './decode/protocol.ts';

/** Where the signals of a project are kept. */
export interface ProjectScopes {
  defaultOf(signal: RoutedSignal): string | null;
  own(signal: RoutedSignal): ReadonlyMap<string, string | null>;
  resolve(environment: string | undefined, signal: RoutedSignal): string;
  unbound(environment: string | undefined, signal: RoutedSignal): CandelaError;
}

export interface IngestRoutes {
  of(projectId: string): Promise<ProjectScopes>;
}

export interface Places {
  /** Undefined: all records go to place 0. */
  readonly split: Split | undefined;
  /** The database configuration of a place. @throws signal_unbound */
  configOf(place: number): string;
}

/**
 * Where the records of one request go. Without an environment in its headers they may be of several, and these kept in
 * different databases. @throws signal_unbound
 */
export function storageScopesOf(
  routes: ProjectScopes,
  signal: Signal,
  environment: string | undefined,
): Places {
  if (environment !== undefined) {
    const id = routes.resolve(environment, signal);
    return { split: undefined, configOf: () => id };
  }
  const rest = routes.defaultOf(signal);
  const own = routes.own(signal);
  const ids = [...new Set([rest, ...own.values()])];
  const configOf = (place: number): string => {
    const id = ids[place];
    if (id === undefined || id === null) throw routes.unbound(undefined, signal);
    return id;
  };
  if (ids.length === 1) {
    configOf(0);
    return { split: undefined, configOf };
  }
  const byEnvironment = new Map([...own].map(([name, id]) => [name, ids.indexOf(id)]));
  return { split: { places: ids.length, byEnvironment, rest: 0 }, configOf };
}
