import type { EntityType } from '@candela/contract';
import type { Repositories, StorageScope } from '@candela/metadata-store';

/** What a caller says of how prompts are to be handed out. */
export interface EntityInputs {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly version: string | undefined;
  readonly compile: boolean;
}

/** What a rule can be linked to: one file a kind, listed in `index.ts`. */
export interface EntityKind {
  readonly type: EntityType;
  /** What it is called in a sentence. */
  readonly label: string;
  /** Those of the ids that there are. An inactive one does not count in an evaluation. */
  look(
    repositories: Repositories,
    place: StorageScope,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly name: string; readonly active: boolean }>>;
  /** Ids of all that are inactive. */
  inactive(repositories: Repositories, place: StorageScope): Promise<ReadonlySet<string>>;
  /**
   * What applications are given of it; one that is missing has vanished. Undefined: this kind is never given.
   * @throws refused when that is more than one answer may hold
   */
  readonly records:
    | ((
        place: StorageScope,
        ids: readonly string[],
        inputs: EntityInputs,
      ) => Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>>)
    | undefined;
}
