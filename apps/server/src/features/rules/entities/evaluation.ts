import { EVALUATION_TYPES } from '@candela/contract';
import type { EntityKind } from './entity.ts';

/** Types of evaluation: an application is told which ones to run, and there is nothing more to give. */
export const evaluationKind: EntityKind = {
  type: 'evaluation',
  label: 'type of evaluation',
  look: async (_, __, ids) =>
    new Map(
      EVALUATION_TYPES.filter(({ id }) => ids.includes(id)).map(({ id, label }) => [
        id,
        { name: label, active: true },
      ]),
    ),
  inactive: async () => new Set(),
  records: undefined,
};
