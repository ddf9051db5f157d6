import type { IdempotencyTable } from './idempotency.ts';
import type { SavedViewTable } from './saved-views.ts';

/** Every table of the metadata store, as its newest migration leaves it; the registry. */
export interface Tables {
  readonly saved_views: SavedViewTable;
  readonly idempotency: IdempotencyTable;
}
