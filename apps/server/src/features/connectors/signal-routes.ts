import { type RoutedSignal, ROUTED_SIGNALS } from '@candela/contract';
import { DEFAULT_DATABASE_CONFIG_ID, fail } from '@candela/kernel';
import type { MetadataStore, StoredBinding } from '@candela/metadata-store';

/** Projects whose bindings are held at once. */
const MAX_PROJECTS = 10_000;

/** Where the signals of one project are kept. */
export class ProjectRoutes {
  readonly #byKey: ReadonlyMap<string, string | null>;
  readonly #projectId: string;

  constructor(projectId: string, bindings: readonly StoredBinding[]) {
    this.#projectId = projectId;
    this.#byKey = new Map(
      bindings.map(({ environment, signal, connectorId }) => [key(environment, signal), connectorId]),
    );
  }

  /** What counts for environments without a binding of their own; null: they are refused. */
  defaultOf(signal: RoutedSignal): string | null {
    const bound = this.#byKey.get(key(null, signal));
    return bound === undefined ? DEFAULT_DATABASE_CONFIG_ID : bound;
  }

  /** Bindings of single environments. */
  own(signal: RoutedSignal): ReadonlyMap<string, string | null> {
    const found = new Map<string, string | null>();
    for (const [name, connectorId] of this.#byKey) {
      const [environment = '', of] = name.split('\n', 2);
      if (of === signal && environment !== '') found.set(environment, connectorId);
    }
    return found;
  }

  /** What counts for one environment; null: nothing is bound to it. */
  boundTo(environment: string, signal: RoutedSignal): string | null {
    const own = this.#byKey.get(key(environment, signal));
    return own === undefined ? this.defaultOf(signal) : own;
  }

  /** Every connector that something is bound to. */
  all(): ReadonlySet<string> {
    const ids = ROUTED_SIGNALS.flatMap((signal) => [this.defaultOf(signal), ...this.own(signal).values()]);
    return new Set(ids.filter((id) => id !== null));
  }

  /**
   * The configuration of an environment, or of all of them together when none is named. @throws signal_unbound,
   * choose_environment
   */
  resolve(environment: string | undefined, signal: RoutedSignal): string {
    if (environment !== undefined) {
      const found = this.boundTo(environment, signal);
      if (found === null) throw this.unbound(environment, signal);
      return found;
    }
    const ids = new Set([this.defaultOf(signal), ...this.own(signal).values()]);
    // Nothing can be stored where nothing is bound.
    ids.delete(null);
    const [only, another] = ids;
    if (only === undefined || only === null) throw this.unbound(undefined, signal);
    if (another !== undefined) throw fail('choose_environment', { signal });
    return only;
  }

  unbound(environment: string | undefined, signal: RoutedSignal) {
    const where =
      environment === undefined
        ? `the project ${JSON.stringify(this.#projectId)}`
        : `the environment ${JSON.stringify(environment)}`;
    return fail('signal_unbound', { signal, where });
  }
}

const key = (environment: string | null, signal: string): string => `${environment ?? ''}\n${signal}`;

/** Bindings by project, held until they change anywhere. */
export class SignalRoutes {
  readonly #metadata: Pick<MetadataStore, 'routing'>;
  readonly #held = new Map<string, Promise<ProjectRoutes>>();

  constructor(metadata: Pick<MetadataStore, 'routing' | 'changes'>) {
    this.#metadata = metadata;
    metadata.changes.on(['signal_bindings'], () => this.#held.clear());
  }

  /** @throws metadata_unavailable */
  of(projectId: string): Promise<ProjectRoutes> {
    const held = this.#held.get(projectId);
    if (held !== undefined) return held;
    if (this.#held.size >= MAX_PROJECTS) this.#held.clear();
    const read = this.#metadata.routing
      .of(projectId)
      .then((bindings) => new ProjectRoutes(projectId, bindings));
    this.#held.set(projectId, read);
    read.catch(() => {
      if (this.#held.get(projectId) === read) this.#held.delete(projectId);
    });
    return read;
  }
}
