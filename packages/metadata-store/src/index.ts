import { join } from 'node:path';
import { sqliteDialect } from './dialects/sqlite/index.ts';
import { type MetadataOptions, type MetadataStore, openMetadata } from './store.ts';

export type { Call } from './repositories/idempotency.ts';
export type {
  NewView,
  SavedViews,
  StoredView,
  ViewChanges,
  ViewPlace,
} from './repositories/saved-views.ts';
export { type MetadataStore, MetadataStoreError, type Repositories } from './store.ts';

/** Opens `metadata.sqlite` in that directory. @throws MetadataStoreError with a sentence for a person */
export function openMetadataStore(
  options: Omit<MetadataOptions, 'dialect'> & { readonly dataDir: string },
): Promise<MetadataStore> {
  const { dataDir, ...rest } = options;
  return openMetadata({ ...rest, dialect: sqliteDialect(join(dataDir, 'metadata.sqlite')) });
}
