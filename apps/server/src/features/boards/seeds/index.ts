import type { BoardInput } from '@candela/contract';
import { fail } from '@candela/kernel';
import { agents, codingAgents, cost, evaluations, gpu, llm, vectors } from './boards.ts';

/** Boards that come with the product, by id; the registry. They are code: no change of a person is ever overwritten. */
export const SEEDS: ReadonlyMap<string, BoardInput> = new Map([
  ['seed:llm', llm],
  ['seed:agents', agents],
  ['seed:coding-agents', codingAgents],
  ['seed:cost', cost],
  ['seed:evaluations', evaluations],
  ['seed:gpu', gpu],
  ['seed:vectors', vectors],
]);

/** Whether an id is one of a seeded board, known or not. */
export const isSeed = (id: string): boolean => id.startsWith('seed:');

/** @throws not_found */
export function seedOf(id: string): BoardInput {
  const found = SEEDS.get(id);
  if (found === undefined) throw fail('not_found', { what: 'The board' });
  return found;
}
