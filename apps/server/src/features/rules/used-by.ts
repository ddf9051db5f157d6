import type { EntityType } from '@candela/contract';
import type { Repositories, StorageScope } from '@candela/metadata-store';

/** Rules that hand something out, the first hundred by priority: for whoever shows it or is about to delete it. */
export const usedBy = (
  { rules }: Pick<Repositories, 'rules'>,
  place: StorageScope,
  entityType: EntityType,
  entityId: string,
) => rules.linkedTo(place, { entityType, entityId }, 100);
