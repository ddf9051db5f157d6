import { EVALUATION_TYPES } from '@candela/contract';
import type { EntityKind } from './entity.ts';

/** Types of evaluation: an application is told which ones to run, and there is nothing more to give. */
export const evaluationKind: EntityKind = {
  type: 'evaluation',
  label: 'type of evaluation',
  // Evaluators are kept by environment, rules are not: those of any environment of the project can be linked.
  look: async ({ judging }, { projectId }, ids) => {
    const made = (await judging.listAll('evaluator')).filter((one) => one.projectId === projectId);
    const all = [
      ...EVALUATION_TYPES.map(({ id, label }) => ({ id: id as string, label })),
      ...made.map(({ name }) => ({ id: name, label: name })),
    ];
    return new Map(
      all
        .filter(({ id }) => ids.includes(id))
        .reverse()
        .map(({ id, label }) => [id, { name: label, active: true }]),
    );
  },
  inactive: async () => new Set(),
  records: undefined,
};
